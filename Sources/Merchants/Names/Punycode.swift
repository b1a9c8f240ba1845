/// The ASCII form of internationalised names: Punycode (RFC 3492) behind `xn--` (RFC 5890).
///
/// It serves messages alone: whoever writes `bücher.example` is told what to write. Names are never
/// changed silently, and where the form cannot be told for certain, none is.
package enum Punycode {
    /// The A-labels of a name that has letters outside ASCII; nil where they cannot be told.
    ///
    /// They are told for letters that IDNA 2003, IDNA 2008 and UTS #46 treat alike: what has an
    /// unambiguous lower case, needs no normalisation (RFC 5891 §4.2.1 demands NFC), and is written
    /// from left to right (RFC 5893). ß, ς and combining marks are among what is left out.
    package static func asciiName(of name: String) -> String? {
        var labels: [String] = []
        for label in name.lowercased().split(separator: ".", omittingEmptySubsequences: false) {
            if label.utf8.allSatisfy({ $0 < 0x80 }) {
                labels.append(String(label))
                continue
            }
            let scalars = Array(label.unicodeScalars)
            // RFC 5891 §4.2.3.1.
            guard label.first != "-", label.last != "-", label.dropFirst(2).prefix(2) != "--",
                scalars.allSatisfy(isPlain), let encoded = encode(scalars)
            else { return nil }
            labels.append("xn--" + encoded)
        }
        return labels.joined(separator: ".")
    }

    /// Whether the three standards agree that it stays as it is.
    private static func isPlain(_ scalar: Unicode.Scalar) -> Bool {
        let value = scalar.value
        if value < 0x80 {
            return scalar == "-" || ("a"..."z").contains(scalar) || ("0"..."9").contains(scalar)
        }
        switch scalar.properties.generalCategory {
        case .lowercaseLetter, .otherLetter: break
        default: return false
        }
        // The last mapping of UTS #46 but for NFC; what it leaves alone, and is no part of a
        // composition, needs no NFC either. Jamo compose with each other without being marks.
        guard !scalar.properties.changesWhenNFKCCaseFolded,
            scalar.properties.canonicalCombiningClass == .notReordered
        else { return false }
        let jamo: [ClosedRange<UInt32>] = [0x1100...0x11FF, 0xA960...0xA97F, 0xD7B0...0xD7FF]
        let fromRight: [ClosedRange<UInt32>] = [
            0x590...0x8FF, 0xFB1D...0xFDFF, 0xFE70...0xFEFF, 0x1_0800...0x1_0FFF,
            0x1_E800...0x1_EFFF,
        ]
        return !(jamo + fromRight).contains { $0.contains(value) }
    }

    /// RFC 3492 §6.3, with the parameters of §5; nil for a label that is too long (RFC 1035 §2.3.4).
    package static func encode(_ label: [Unicode.Scalar]) -> String? {
        let basic = label.filter(\.isASCII)
        var output = basic.map { UInt8($0.value) }
        if !basic.isEmpty { output.append(UInt8(ascii: "-")) }
        var (next, delta, bias) = (UInt32(128), 0, 72)
        var done = basic.count
        while done < label.count {
            guard let smallest = label.lazy.map(\.value).filter({ $0 >= next }).min(),
                output.count <= 59
            else { return nil }
            // Labels are short, so no sum comes near what an Int holds.
            delta += Int(smallest - next) * (done + 1)
            next = smallest
            for scalar in label {
                if scalar.value < next { delta += 1 }
                guard scalar.value == next else { continue }
                append(delta, bias: bias, to: &output)
                bias = adapt(delta, points: done + 1, isFirst: done == basic.count)
                delta = 0
                done += 1
            }
            delta += 1
            next += 1
        }
        return output.count <= 59 ? String(decoding: output, as: UTF8.self) : nil
    }

    /// A generalised variable-length integer (§3.3).
    private static func append(_ delta: Int, bias: Int, to output: inout [UInt8]) {
        var (rest, k) = (delta, 36)
        while true {
            let threshold = k <= bias ? 1 : k >= bias + 26 ? 26 : k - bias
            guard rest >= threshold else { break }
            output.append(digit(threshold + (rest - threshold) % (36 - threshold)))
            rest = (rest - threshold) / (36 - threshold)
            k += 36
        }
        output.append(digit(rest))
    }

    private static func digit(_ value: Int) -> UInt8 {
        value < 26 ? UInt8(ascii: "a") + UInt8(value) : UInt8(ascii: "0") + UInt8(value - 26)
    }

    /// §6.1.
    private static func adapt(_ delta: Int, points: Int, isFirst: Bool) -> Int {
        var delta = isFirst ? delta / 700 : delta / 2
        delta += delta / points
        var k = 0
        while delta > 455 {
            delta /= 35
            k += 36
        }
        return k + 36 * delta / (delta + 38)
    }
}
