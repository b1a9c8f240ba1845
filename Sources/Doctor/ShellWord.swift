/// Text fit for pasting into a shell.
enum ShellWord {
    static func quoted(_ text: String) -> String {
        let plain = text.unicodeScalars.allSatisfy {
            $0.isASCII
                && ($0.properties.isAlphabetic || "0123456789/.-_".unicodeScalars.contains($0))
        }
        return plain
            ? text
            : "'"
                + text.split(separator: "'", omittingEmptySubsequences: false)
                .joined(separator: "'\\''") + "'"
    }
}
