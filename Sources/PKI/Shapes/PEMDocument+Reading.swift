internal import Secrets

extension PEMDocument {
    /// The reader's place: outside a block, in its headers, or in its base64.
    private struct Open {
        let label: String
        var headers: [String] = []
        var lines: [Range<Int>] = []
    }

    static func read(_ buffer: UnsafeRawBufferPointer) throws(PKIError) -> [Block] {
        guard buffer.count <= sizeLimit else { throw .tooLarge("PEM text", limit: sizeLimit) }
        var blocks: [Block] = []
        var open: Open?
        var position = unsafe buffer.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
        while position < buffer.count {
            let line = unsafe nextLine(buffer, from: &position)
            if unsafe starts(buffer, line, with: "-----") {
                let text = unsafe String(decoding: buffer[line], as: UTF8.self)
                if let label = label(of: text, after: "-----BEGIN ") {
                    guard open == nil else { throw .malformedPEM("a block begins inside another") }
                    open = Open(label: label)
                } else if let label = label(of: text, after: "-----END ") {
                    guard let block = open else { throw .malformedPEM("END stands before BEGIN") }
                    guard block.label == label else {
                        throw .malformedPEM("END does not match BEGIN")
                    }
                    guard blocks.count < blockLimit else {
                        throw .malformedPEM("it has more than \(blockLimit) blocks")
                    }
                    blocks.append(try unsafe close(block, buffer))
                    open = nil
                } else if open != nil {
                    throw .malformedPEM("a line of dashes stands inside a block")
                }
            } else if open != nil {
                try unsafe add(line, of: buffer, to: &open)
            }
        }
        guard open == nil else { throw .malformedPEM("a block has no end; the text was cut off") }
        return blocks
    }

    private static func add(
        _ line: Range<Int>, of buffer: UnsafeRawBufferPointer, to open: inout Open?
    ) throws(PKIError) {
        guard !line.isEmpty else { return }
        // Headers hold a colon, which is outside base64; folded ones go on after white space.
        let isHeader = unsafe buffer[line].contains(UInt8(ascii: ":"))
        let isFolded =
            unsafe buffer[line.lowerBound] == UInt8(ascii: " ") && open?.headers.isEmpty == false
        if isHeader || isFolded {
            guard open?.lines.isEmpty == true else {
                throw .malformedPEM("a header stands inside the base64")
            }
            open?.headers.append(unsafe String(decoding: buffer[line], as: UTF8.self))
        } else {
            open?.lines.append(line)
        }
    }

    /// Steps over one line; the range leaves out the line end and white space before it.
    private static func nextLine(
        _ buffer: UnsafeRawBufferPointer, from position: inout Int
    ) -> Range<Int> {
        let start = position
        var end = start
        while end < buffer.count, unsafe buffer[end] != 0x0A { end += 1 }
        position = end + 1
        while end > start, unsafe [0x0D, 0x20, 0x09].contains(buffer[end - 1]) { end -= 1 }
        return start..<end
    }

    private static func starts(
        _ buffer: UnsafeRawBufferPointer, _ line: Range<Int>, with text: StaticString
    ) -> Bool {
        guard line.count >= text.utf8CodeUnitCount else { return false }
        return (0..<text.utf8CodeUnitCount).allSatisfy {
            unsafe buffer[line.lowerBound + $0] == text.utf8Start[$0]
        }
    }

    private static func label(of line: String, after begin: String) -> String? {
        guard line.hasPrefix(begin), line.hasSuffix("-----"),
            line.utf8.count > begin.utf8.count + 5
        else { return nil }
        return String(line.dropFirst(begin.count).dropLast(5))
    }

    private static func close(
        _ open: Open, _ buffer: UnsafeRawBufferPointer
    ) throws(PKIError) -> Block {
        let characters = open.lines.reduce(0) { $0 + $1.count }
        guard characters > 0, characters.isMultiple(of: 4), let last = open.lines.last else {
            throw .malformedPEM("the base64 is cut off")
        }
        let padding = unsafe buffer[last].suffix(2).reduce(0) { $0 + ($1 == 0x3D ? 1 : 0) }
        var failed = false
        let contents = unsafe SecretBytes(count: characters / 4 * 3 - padding) { output in
            failed = unsafe !decode(open.lines, of: buffer, padding: padding, into: output)
        }
        guard !failed else { throw .malformedPEM("it holds something other than base64") }
        return Block(label: open.label, headers: open.headers, contents: contents)
    }

    private static func decode(
        _ lines: [Range<Int>], of buffer: UnsafeRawBufferPointer, padding: Int,
        into output: UnsafeMutableRawBufferPointer
    ) -> Bool {
        var remaining = lines.reduce(0) { $0 + $1.count } - padding
        var pending: UInt32 = 0
        var bits: UInt32 = 0
        var written = 0
        for line in lines {
            for index in line where remaining > 0 {
                remaining -= 1
                guard let six = unsafe Base64.value(of: buffer[index]) else { return false }
                pending = pending << 6 | UInt32(six)
                bits += 6
                if bits >= 8 {
                    bits -= 8
                    guard written < output.count else { return false }
                    unsafe output[written] = UInt8(truncatingIfNeeded: pending >> bits)
                    written += 1
                }
            }
        }
        return written == output.count && pending & (1 << bits - 1) == 0
    }

    /// Writes one block like ``text(label:_:)``, without a copy outside the secret.
    static func text(label: String, _ der: SecretBytes) -> SecretBytes {
        let header = Array("-----BEGIN \(label)-----\n".utf8)
        let footer = Array("-----END \(label)-----\n".utf8)
        let rows = (der.count + 47) / 48
        let body = (der.count + 2) / 3 * 4 + rows
        return unsafe SecretBytes(count: header.count + body + footer.count) { output in
            unsafe output.copyBytes(from: header)
            var position = header.count
            unsafe der.withUnsafeBytes { input in
                for start in stride(from: 0, to: input.count, by: 48) {
                    let row = unsafe UnsafeRawBufferPointer(
                        rebasing: input[start..<min(start + 48, input.count)])
                    unsafe writeRow(row, to: output, at: &position)
                }
            }
            unsafe UnsafeMutableRawBufferPointer(rebasing: output[position...])
                .copyBytes(from: footer)
        }
    }

    private static func writeRow(
        _ row: UnsafeRawBufferPointer, to output: UnsafeMutableRawBufferPointer,
        at position: inout Int
    ) {
        for start in stride(from: 0, to: row.count, by: 3) {
            let given = min(3, row.count - start)
            var group: UInt32 = 0
            for index in 0..<3 {
                group = group << 8 | (index < given ? unsafe UInt32(row[start + index]) : 0)
            }
            for index in 0..<4 {
                let six = UInt8(truncatingIfNeeded: group >> UInt32(18 - 6 * index) & 63)
                unsafe output[position] = index <= given ? Base64.character(six) : 0x3D
                position += 1
            }
        }
        unsafe output[position] = 0x0A
        position += 1
    }
}
