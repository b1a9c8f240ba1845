/// A shell for which there is a completion script.
enum Shell: String, CaseIterable, Sendable {
    case bash
    case zsh

    /// The script, for the shell to source.
    func completions(of table: CommandTable) -> String {
        switch self {
        case .bash: BashCompletions(table: table).script
        case .zsh: ZshCompletions(table: table).script
        }
    }
}

/// Text between single quotes, as both shells read it.
func shellQuoted(_ text: String) -> String {
    "'" + text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''")
        + "'"
}
