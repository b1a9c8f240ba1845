package import Secrets

/// Asks a person for a secret, or for a word.
package protocol SecretPrompt: Sendable {
    /// Shows `question` and gives the line typed, without its line end; nil where nobody can be
    /// asked because there is no terminal.
    ///
    /// - Throws: ``CommandLineError/promptAbandoned(_:)`` when the line is empty or input ends.
    func ask(_ question: String, for what: String) async throws -> SecretBytes?

    /// The same for what is no secret: the terminal shows what is typed.
    ///
    /// - Throws: as ``ask(_:for:)``.
    func askAloud(_ question: String, for what: String) async throws -> String?
}

extension Context {
    /// Asks for `what` on the terminal: `Passphrase: `; `use` says what to do without a terminal.
    ///
    /// - Throws: ``CommandLineError/noTerminal(_:use:)``, ``CommandLineError/promptAbandoned(_:)``.
    package func askSecret(
        _ what: String, question: String, use: String
    ) async throws -> SecretBytes {
        guard let secret = try await prompt.ask("\(question): ", for: what) else {
            throw CommandLineError.noTerminal(what, use: use)
        }
        return secret
    }

    /// Asks twice for a secret that is being made, so that a slip does not lock anybody out.
    ///
    /// - Throws: as ``askSecret(_:question:use:)``, and ``CommandLineError/promptMismatch(_:)``.
    package func askNewSecret(
        _ what: String, question: String, use: String
    ) async throws -> SecretBytes {
        let first = try await askSecret(what, question: question, use: use)
        let second = try await askSecret(what, question: "\(question), again", use: use)
        guard first == second else { throw CommandLineError.promptMismatch(what) }
        return first
    }
}
