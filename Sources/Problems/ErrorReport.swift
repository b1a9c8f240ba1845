/// What any error looks like to the outside: a coded problem, or an internal fault with a reference.
///
/// Errors of our own targets conform to ``Explained``. Everything else is rendered as
/// `internal.error`; its text goes to the log only, because text that we did not write may contain
/// anything.
package struct ErrorReport: Sendable, Equatable {
    package let code: String
    package let summary: String
    package let remedy: String
    package let nature: Nature

    /// Renders `error`; a foreign one becomes an internal error that names `reference` for the log.
    package init(_ error: any Error, reference: String) {
        if let problem = error as? any Explained {
            code = problem.code
            summary = problem.summary
            remedy = problem.remedy
            nature = problem.nature
        } else {
            code = "internal.error"
            summary = "internal error, reference \(reference)"
            remedy = "look for the reference in the log, and report it with what you did"
            nature = .internalFault
        }
    }
}

/// The chain of an error's causes as indented lines, for the log; not for callers.
package func causeTree(of error: any Error) -> String {
    var lines: [String] = []
    var next: (any Error)? = error
    while let current = next {
        let indent = String(repeating: "  ", count: lines.count)
        lines.append("\(indent)\(current)")
        next = (current as? any Explained)?.cause
    }
    return lines.joined(separator: "\n")
}
