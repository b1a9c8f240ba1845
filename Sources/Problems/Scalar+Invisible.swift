extension Unicode.Scalar {
    /// Whether it shows nothing of its own, or not the same everywhere: controls, formats, separators
    /// of lines, private and unassigned characters.
    ///
    /// In a name, a message or a log they do something to a terminal or mislead a reader, and are
    /// refused or made a blank.
    package var isInvisible: Bool {
        switch properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse,
            .unassigned:
            true
        default: false
        }
    }
}
