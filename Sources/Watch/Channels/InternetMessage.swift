import Clocks
import PKI

/// A mail's text with its headers (RFC 5322), in ASCII whatever it says.
///
/// Nothing in a value can begin another header: what is not visible ASCII is encoded (RFC 2047).
struct InternetMessage: Sendable {
    var from: String
    var to: String
    var subject: String
    var date: Timestamp
    /// Without its angle brackets; visible ASCII.
    var identifier: String
    /// Lines end in LF.
    var text: String

    /// As it is handed in at a mail server: lines end in CR LF, none is longer than 76 bytes but for
    /// the addresses'.
    var bytes: [UInt8] {
        let headers = [
            "From: Purser <\(from)>", "To: <\(to)>", "Subject: \(Self.encoded(subject))",
            "Date: \(Self.internetDate(date))", "Message-ID: <\(identifier)>",
            "MIME-Version: 1.0", "Content-Type: text/plain; charset=utf-8",
            "Content-Transfer-Encoding: quoted-printable",
            // RFC 3834: no out-of-office answers to this.
            "Auto-Submitted: auto-generated",
        ]
        return Array((headers + ["", Self.quotedPrintable(text)]).joined(separator: "\r\n").utf8)
    }

    /// A header's value, folded: as it is where it is words of visible ASCII, else as encoded words.
    static func encoded(_ text: String) -> String {
        let words = text.split(separator: " ", omittingEmptySubsequences: false)
        let isPlain =
            !text.contains("=?")
            && words.allSatisfy { word in
                (1...60).contains(word.utf8.count)
                    && word.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }
            }
        return isPlain ? folded(words) : encodedWords(text)
    }

    private static func folded(_ words: [Substring]) -> String {
        // The header's name stands before the first.
        var length = 10
        var text = ""
        for word in words {
            if !text.isEmpty {
                let isFull = length + 1 + word.utf8.count > 76
                text += isFull ? "\r\n " : " "
                length = isFull ? 1 : length + 1
            }
            text += word
            length += word.utf8.count
        }
        return text
    }

    private static func encodedWords(_ text: String) -> String {
        // 75 bytes are the most for a word; 45 bytes of text make 60 of base64.
        var words: [String] = []
        var part: [UInt8] = []
        for character in text {
            let bytes = Array(character.utf8)
            if part.count + bytes.count > 45, !part.isEmpty {
                words.append(Base64.encode(part))
                part = []
            }
            // One character may have any number of bytes; no text of ours has one of many.
            part += bytes.prefix(45)
        }
        if !part.isEmpty { words.append(Base64.encode(part)) }
        return words.map { "=?utf-8?B?\($0)?=" }.joined(separator: "\r\n ")
    }

    /// Such as `Mon, 30 Nov 2026 14:35:03 +0000`.
    static func internetDate(_ time: Timestamp) -> String {
        let names = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]
        let months = [
            "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
        ]
        // 1970-01-01 was a Thursday.
        let day = time.days(since: Timestamp(seconds: 0))
        let name = names[Int((day % 7 + 7) % 7)]
        let parts = time.description.split { "-T:Z".contains($0) }
        guard parts.count == 6, let month = Int(parts[1]), months.indices.contains(month - 1)
        else { return time.description }
        return "\(name), \(parts[2]) \(months[month - 1]) \(parts[0]) "
            + "\(parts[3]):\(parts[4]):\(parts[5]) +0000"
    }

    /// RFC 2045 §6.7, each line with its end.
    static func quotedPrintable(_ text: String) -> String {
        var output = ""
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            var length = 0
            let bytes = Array(line.utf8)
            for (index, byte) in bytes.enumerated() {
                let isLast = index == bytes.count - 1
                let isBlank = byte == 0x20 || byte == 0x09
                let isPlain = (0x21...0x7E).contains(byte) && byte != UInt8(ascii: "=")
                let isDot = byte == UInt8(ascii: ".") && length == 0
                let piece =
                    (isPlain && !isDot) || (isBlank && !isLast)
                    ? String(UnicodeScalar(byte)) : "=\(Hexadecimal.uppercase([byte]))"
                // 76 with the mark that a line goes on.
                if length + piece.utf8.count > 75 {
                    output += "=\r\n"
                    length = 0
                }
                output += piece
                length += piece.utf8.count
            }
            output += "\r\n"
        }
        return output
    }
}
