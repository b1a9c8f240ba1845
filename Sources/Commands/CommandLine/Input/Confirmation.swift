extension Context {
    /// Lets a person type `word` before something is done that cannot be undone.
    ///
    /// - Throws: ``CommandLineError/noTerminal(_:use:)`` where nobody can be asked,
    ///   ``CommandLineError/notConfirmed(_:)`` for any other word.
    func confirm(_ word: String, question: String) async throws {
        guard let typed = try await prompt.askAloud(question, for: "the confirmation") else {
            throw CommandLineError.noTerminal(
                "a confirmation", use: "give --yes if it is meant")
        }
        guard typed == word else { throw CommandLineError.notConfirmed(word) }
    }
}
