import Clocks
import Glibc

extension Context {
    /// The context of this process.
    static func live() -> Context {
        Context(
            arguments: processArguments(), environment: processEnvironment(),
            clock: SystemClock(), output: DescriptorSink(descriptor: STDOUT_FILENO),
            errors: DescriptorSink(descriptor: STDERR_FILENO), input: StandardInput(),
            terminal: .live(), prompt: TerminalPrompt(), workingDirectory: currentFolder(),
            makeReference: { hexDigits(8) })
    }
}

/// The words after the program's name; what is not UTF-8 is repaired with U+FFFD, which the parser
/// refuses.
private func processArguments() -> [String] {
    Array(CommandLine.arguments.dropFirst())
}

private func processEnvironment() -> [String: String] {
    var variables: [String: String] = [:]
    var next: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?> = environ
    while let entry = next.pointee {
        let text = String(cString: entry)
        if let equals = text.firstIndex(of: "=") {
            variables[String(text[..<equals])] = String(text[text.index(after: equals)...])
        }
        next += 1
    }
    return variables
}

private func currentFolder() -> String {
    guard let path = getcwd(nil, 0) else { return "/" }
    defer { free(path) }
    return String(cString: path)
}

private func hexDigits(_ count: Int) -> String {
    let digits = Array("0123456789abcdef")
    return String((0..<count).map { _ in digits[Int.random(in: 0..<16)] })
}

extension TerminalFacts {
    static func live() -> TerminalFacts {
        let outputIsTerminal = isatty(STDOUT_FILENO) == 1
        var size = winsize()
        let hasSize =
            outputIsTerminal && ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0
            && size.ws_col > 0
        return TerminalFacts(
            inputIsTerminal: isatty(STDIN_FILENO) == 1, outputIsTerminal: outputIsTerminal,
            errorsIsTerminal: isatty(STDERR_FILENO) == 1,
            columns: hasSize ? Int(size.ws_col) : nil)
    }
}
