import Files
import Secrets
import Vault

/// Files that arguments and flags name, read as the user who asks, before the home is entered.
extension Invocation {
    /// The bytes of the file that a flag names; nil when the flag is absent.
    ///
    /// - Throws: ``FileError`` when it is missing, unreadable or larger than `limit` bytes.
    func contents(of option: Option, limit: Int) async throws -> [UInt8]? {
        guard let path = path(option) else { return nil }
        return try await onOwnThread { try InputFile.read(path, limit: limit, pipe: .forPeople) }
    }

    /// The bytes of every file that a flag which may be repeated names.
    ///
    /// - Throws: ``FileError`` when one is missing, unreadable or larger than `limit` bytes.
    func allContents(of option: Option, limit: Int) async throws -> [[UInt8]] {
        let paths = all(option).map(context.absolute)
        return try await onOwnThread {
            try paths.map { try InputFile.read($0, limit: limit, pipe: .forPeople) }
        }
    }

    /// The bytes of the file that an argument names, or of standard input for `-`, in memory that
    /// is wiped: it may hold a key.
    ///
    /// - Throws: ``FileError``, ``CommandLineError`` for standard input.
    func secretContents(of argument: Argument, limit: Int) async throws -> SecretBytes {
        let name = self[argument]
        if name == "-" && argument.acceptsStandardInput {
            var bytes = try await context.input.readAll(limit: limit)
            return SecretBytes(wiping: &bytes)
        }
        return try await secret(at: context.absolute(name), limit: limit)
    }

    /// The password in the file that a flag names, without its line end; nil without the flag.
    ///
    /// A file that others may read draws a warning: unlike a key file it is often made for the
    /// moment, by a script that knows no better.
    ///
    /// - Throws: ``FileError``.
    func password(of option: Option) async throws -> SecretBytes? {
        guard let path = path(option) else { return nil }
        warnIfExposed(path)
        return strippingLineEnd(try await secret(at: path, limit: 4_096))
    }

    /// The bytes of the file that a flag names, or of standard input for `-` where the flag takes
    /// it, in memory that is wiped; nil without the flag.
    ///
    /// Its mode is judged when it is known what is in it: ``warnOfKey(in:)``.
    ///
    /// - Throws: ``FileError``, ``CommandLineError`` for standard input.
    func secretContents(of option: Option, limit: Int) async throws -> SecretBytes? {
        guard let path = path(option) else { return nil }
        if self[option] == "-", option.acceptsStandardInput {
            var bytes = try await context.input.readAll(limit: limit)
            return SecretBytes(wiping: &bytes)
        }
        return try await secret(at: path, limit: limit)
    }

    /// Warns where others may read or change the file of an argument, in which a private key was
    /// found.
    func warnOfKey(in argument: Argument) {
        guard self[argument] != "-" || !argument.acceptsStandardInput else { return }
        warnIfExposed(context.absolute(self[argument]))
    }

    /// As ``warnOfKey(in:)``, for the file of a flag; nothing where the flag is absent.
    func warnOfKey(in option: Option) {
        guard let path = path(option), self[option] != "-" || !option.acceptsStandardInput else {
            return
        }
        warnIfExposed(path)
    }

    private func warnIfExposed(_ path: String) {
        do {
            // What a link leads to counts; the mode of a pipe or of the link itself says nothing.
            let status = try FileStatus.ifPresent(Folder.truePath(path))
            if let status, status.isFile { try status.checkPrivateFile() }
        } catch {
            warn(error.summary, hint: error.remedy)
        }
    }

    private func secret(at path: String, limit: Int) async throws -> SecretBytes {
        try await onOwnThread {
            var bytes = try InputFile.read(path, limit: limit, pipe: .forPeople)
            return SecretBytes(wiping: &bytes)
        }
    }
}
