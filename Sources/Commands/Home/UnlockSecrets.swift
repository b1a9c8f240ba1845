import Files
import Settings
import Vault

/// Where the unlocker comes from: flags, environment or settings, then a systemd credential, then
/// the terminal.
extension Invocation {
    /// The unlocker that flags, environment or `--config` name, read as the user who asks; nil when
    /// they name none.
    ///
    /// - Throws: ``SettingsError``, ``VaultError`` and ``FileError`` for the file.
    func namedUnlocker() async throws -> UnlockSecret? {
        let owner = try FileStatus.ifPresent(layout.path)?.owner
        let settings = try await loadSettings(withHomeFile: false)
        return try await read(settings.unlockFile, alsoOwnedBy: owner)
    }

    /// The unlocker that the home's settings name, or a systemd credential, or what a person types.
    ///
    /// - Throws: ``VaultError/noUnlocker`` when there is none and nobody can be asked,
    ///   ``SettingsError``, ``FileError``, ``CommandLineError`` for the prompt.
    func otherUnlocker() async throws -> UnlockSecret {
        if let secret = try await storedUnlocker() { return secret }
        return try await typed()
    }

    /// A passphrase or a recovery key, whichever the home has.
    func typed() async throws -> UnlockSecret {
        // A home to be restored has no unlockers yet, and may get any.
        let isThere = try FileStatus.ifPresent(layout.master) != nil
        let kinds: Set<UnlockerKind> =
            isThere ? Set(try layout.unlockers().map(\.kind)) : [.passphrase, .recoveryKey]
        let what = kinds.contains(.passphrase) ? "passphrase or recovery key" : "recovery key"
        let asked = kinds.contains(.recoveryKey) ? what : "passphrase"
        let question = asked.prefix(1).uppercased() + asked.dropFirst()
        guard let typed = try await context.prompt.ask("\(question): ", for: "the \(asked)")
        else { throw VaultError.noUnlocker }
        guard kinds.contains(.recoveryKey) else {
            return try UnlockSecret.passphrase(checking: typed)
        }
        do throws(VaultError) {
            return try RecoveryKey(reading: typed).secret
        } catch {
            guard kinds.contains(.passphrase) else { throw error }
            return try UnlockSecret.passphrase(checking: typed)
        }
    }

    /// The key file of a flag such as `--new-key-file`: an existing one is read, and one that is
    /// missing is told as nil, to be made.
    ///
    /// - Throws: ``VaultError``, ``FileError``.
    func newKeyFile(at path: String) async throws -> UnlockSecret? {
        let path = try outsideHome(path)
        guard try FileStatus.ifPresent(path) != nil else { return nil }
        let secret = try await read(
            .masterKey(path), alsoOwnedBy: FileStatus.ifPresent(layout.path)?.owner)
        try secret?.checkNew()
        return secret
    }

    /// Tells that a key file which root has just made cannot be read by the home's owner.
    ///
    /// `caller` is who ran the command, before the step down to the owner.
    func warnOfForeignKeyFile(_ path: String, caller: User) {
        let owner = User.effective
        guard owner.id != caller.id else { return }
        let foreign = FileError.foreignOwner(path, owner: caller.name, expected: owner.name)
        warn(
            "\(foreign.summary), whose home it is and who cannot read it",
            hint: "\(foreign.remedy); or give it to the service by LoadCredential=")
    }

    /// The passphrase in the file of `--new-passphrase-file`.
    ///
    /// - Throws: ``VaultError``, ``FileError``.
    func newPassphrase(at path: String) async throws -> UnlockSecret? {
        try await read(.passphrase(path), alsoOwnedBy: FileStatus.ifPresent(layout.path)?.owner)
    }

    /// The unlocker that the home's settings name, or a systemd credential; nil when there is none.
    ///
    /// - Throws: ``SettingsError``, ``FileError``.
    func storedUnlocker() async throws -> UnlockSecret? {
        let settings = try await loadSettings()
        if let secret = try await read(settings.unlockFile, alsoOwnedBy: nil) { return secret }
        return try await credential()
    }

    /// The key file to use or to make, for `init`; nil when a passphrase is to be used.
    func namedKeyFile() async throws -> String? {
        guard case .masterKey(let path)? = try await loadSettings(withHomeFile: false).unlockFile
        else { return nil }
        return try outsideHome(context.absolute(path))
    }

    private func read(
        _ file: ResolvedSettings.UnlockFile?, alsoOwnedBy owner: UInt32?
    ) async throws -> UnlockSecret? {
        switch file {
        case nil:
            return nil
        case .masterKey(let given):
            let path = try outsideHome(context.absolute(given))
            let isExempt = isCredential(path)
            return try await onOwnThread {
                try UnlockSecret.readKeyFile(path, exempt: isExempt, alsoOwnedBy: owner)
            }
        case .passphrase(let given):
            let path = try outsideHome(context.absolute(given))
            let isExempt = isCredential(path)
            return try await onOwnThread {
                try UnlockSecret.readPassphraseFile(path, exempt: isExempt, alsoOwnedBy: owner)
            }
        case .recoveryKey(let given):
            let path = try outsideHome(context.absolute(given))
            let isExempt = isCredential(path)
            return try await onOwnThread {
                try UnlockSecret.readRecoveryKeyFile(path, exempt: isExempt, alsoOwnedBy: owner)
            }
        }
    }

    /// An unlocker inside the home would be in every copy of the home.
    func outsideHome(_ path: String) throws(VaultError) -> String {
        let home = Folder.truePath(layout.path)
        if Folder.truePath(path).hasPrefix("\(home)/") { throw .keyFileInHome }
        return path
    }

    // MARK: systemd credentials (LoadCredential=)

    private func credential() async throws -> UnlockSecret? {
        guard let folder = credentialsFolder else { return nil }
        if try FileStatus.ifPresent("\(folder)/master-key") != nil {
            return try await read(.masterKey("\(folder)/master-key"), alsoOwnedBy: nil)
        }
        if try FileStatus.ifPresent("\(folder)/passphrase") != nil {
            return try await read(.passphrase("\(folder)/passphrase"), alsoOwnedBy: nil)
        }
        return nil
    }

    /// Where systemd has put what it hands to the unit; nil outside of one.
    var credentialsFolder: String? {
        context.environment["CREDENTIALS_DIRECTORY"].flatMap { $0.hasPrefix("/") ? $0 : nil }
    }

    /// systemd guards the folder and gives its files modes of its own.
    func isCredential(_ path: String) -> Bool {
        credentialsFolder.map { path.hasPrefix("\($0)/") } ?? false
    }
}

// MARK: - Settings

extension Invocation {
    /// The settings in force: flags, environment, `--config` or the home's purser.json5, defaults.
    ///
    /// - Throws: ``SettingsError`` with all faults at once, ``FileError``.
    func loadSettings(withHomeFile: Bool = true) async throws -> ResolvedSettings {
        try Settings.load(
            contents: settingsFile(withHomeFile: withHomeFile), filePath: settingsPath,
            environment: context.environment, flags: settingFlags)
    }

    /// The settings as far as they can be read, with what is wrong; of a file that cannot be read at
    /// all the reason is given beside.
    func surveySettings(
        withHomeFile: Bool
    ) async -> (survey: SettingsSurvey, unreadable: (any Error)?) {
        var contents: [UInt8]?
        var unreadable: (any Error)?
        do {
            contents = try settingsFile(withHomeFile: withHomeFile)
        } catch {
            unreadable = error
        }
        let survey = SettingsSurvey(
            contents: contents, filePath: settingsPath, environment: context.environment,
            flags: settingFlags)
        return (survey, unreadable)
    }

    /// The file of `--config`, or the home's, whether it is there or not.
    var settingsPath: String { global.config.map(context.absolute) ?? layout.settings }

    private func settingsFile(withHomeFile: Bool) throws -> [UInt8]? {
        if let contents = try namedSettings.read() { return contents }
        return withHomeFile ? try InputFile.readIfPresent(settingsPath, limit: 1 << 18) : nil
    }

    private var settingFlags: [String: [String]] {
        var flags: [String: [String]] = [:]
        flags["master-key-file"] = global.masterKeyFile.map { [$0] }
        flags["passphrase-file"] = global.passphraseFile.map { [$0] }
        flags["recovery-key-file"] = global.recoveryKeyFile.map { [$0] }
        let listen = all(ServeCommand.listen)
        if !listen.isEmpty { flags["listen"] = listen }
        return flags
    }
}
