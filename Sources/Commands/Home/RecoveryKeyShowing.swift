import Vault

/// How a recovery key is shown: once, and so that none is ever in force that nobody has seen.
///
/// As text it is printed before it opens anything, and the end of the output says that it does. The
/// one value of `--json` comes last, so there it is taken back where it could not be written.
extension Invocation {
    /// Refuses to make a recovery key where nobody could read it, before anything is done.
    ///
    /// A full disk is noticed later.
    ///
    /// - Throws: ``CommandLineError/recoveryKeyNotShown(because:left:)``.
    func checkRecoveryKeyCanBeShown() throws(CommandLineError) {
        do {
            try context.output.checkReader()
        } catch {
            throw .recoveryKeyNotShown(because: Self.reason(error), left: nil)
        }
    }

    /// Prints the key as text, before it is an unlocker; with `--json` nothing yet.
    ///
    /// - Throws: ``CommandLineError/recoveryKeyNotShown(because:left:)``; then nothing may be done.
    func showBeforeItOpens(_ key: RecoveryKey) throws(CommandLineError) {
        guard !global.json else { return }
        do {
            try context.output.write(Array(Self.shown(key.printed).utf8))
        } catch {
            throw .recoveryKeyNotShown(because: Self.reason(error), left: nil)
        }
        try checkRecoveryKeyCanBeShown()
    }

    /// Prints the report on an act that has put a recovery key into force.
    ///
    /// `unlocker` is its id, and `undo` takes it out of force again.
    ///
    /// - Throws: ``CommandLineError/recoveryKeyNotShown(because:left:)``,
    ///   ``CommandLineError/outputNotWritten(_:reason:)``.
    func print(
        _ report: some Report, showing unlocker: String, undo: () async throws -> Void
    ) async throws {
        guard global.json else {
            try print(report)
            if context.output.isClosed {
                warn(
                    "who read the recovery key has gone before the end of the output",
                    hint: "if it is not written down: purser unlocker remove \(unlocker)")
            }
            return
        }
        let reason: String
        do {
            try print(report)
            guard context.output.isClosed else { return }
            reason = "nobody reads standard output"
        } catch {
            reason = Self.reason(error)
        }
        do {
            try await undo()
        } catch {
            log(error)
            throw CommandLineError.recoveryKeyNotShown(because: reason, left: unlocker)
        }
        throw CommandLineError.recoveryKeyNotShown(because: reason, left: nil)
    }

    private static func reason(_ error: any Error) -> String {
        if case CommandLineError.outputNotWritten(let what, let reason)? = error
            as? CommandLineError
        {
            return "\(what): \(reason)"
        }
        return "standard output cannot be written"
    }

    /// A recovery key as a person copies it: seven groups on each of two lines.
    private static func shown(_ recoveryKey: String) -> String {
        let groups = recoveryKey.split(separator: "-")
        return
            "the recovery key, which is shown this once; it opens the home once the end says so:\n"
            + "  \(groups.prefix(7).joined(separator: "-"))\n"
            + "  \(groups.dropFirst(7).joined(separator: "-"))\n"
    }
}
