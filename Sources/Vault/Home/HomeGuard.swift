package import Files

/// Who may use a home, checked at every start.
package enum HomeGuard {
    /// Refuses who neither owns the home nor may become its owner, before anything else is done.
    ///
    /// - Throws: ``VaultError/noHome(_:)``, ``VaultError/notOwner(home:owner:user:)``, ``FileError``.
    @discardableResult
    package static func admit(_ layout: HomeLayout) throws -> FileStatus {
        guard let status = try FileStatus.ifPresent(layout.path) else {
            throw VaultError.noHome(layout.path)
        }
        guard status.isFolder else { throw FileError.notAFolder(layout.path) }
        let user = User.effective
        guard user.id == status.owner || User.isRoot else {
            throw VaultError.notOwner(
                home: layout.path, owner: User(id: status.owner).name, user: user.name)
        }
        return status
    }

    /// Becomes the home's owner if root asks; refuses anybody else.
    ///
    /// `wayBack` is for commands that must still put a file into a folder of root's. A home of
    /// root's own is entered only where nobody else can put another folder in its place.
    ///
    /// - Throws: as ``admit(_:)``; ``FileError/untrustedWay(_:part:why:)``.
    package static func enter(_ layout: HomeLayout, wayBack: Bool = false) throws {
        let status = try admit(layout)
        if User.effective.id == status.owner {
            if User.isRoot { try TrustedWay.check(layout.path) }
            return
        }
        try Privileges.stepDown(
            to: status.owner, group: status.group, home: layout.path, wayBack: wayBack)
    }

    /// Refuses to make a home as root where somebody else could put another folder in its place
    /// while it is being made.
    ///
    /// - Throws: ``FileError/untrustedWay(_:part:why:)``.
    package static func admitFounding(_ layout: HomeLayout) throws {
        if User.isRoot { try TrustedWay.check(layout.path) }
    }

    /// Refuses, for root, an existing folder of somebody else's that anybody could have put there.
    ///
    /// Asked before the step down to its owner, whose home it would become.
    ///
    /// - Throws: ``FileError/untrustedWay(_:part:why:)``.
    package static func admitPrepared(_ folder: FileStatus) throws {
        if User.isRoot, folder.owner != 0 { try TrustedWay.checkPrepared(folder.path) }
    }

    /// Refuses to go on when the folder that is to become a home is not the one any more that was
    /// looked at before the step down to its owner.
    ///
    /// - Throws: ``VaultError/homeMoved(_:)``, ``FileError``.
    package static func checkStill(_ prepared: FileStatus) throws {
        guard let found = try FileStatus.ifPresent(prepared.path), found.isFolder,
            found.isSameFile(as: prepared), found.owner == prepared.owner
        else { throw VaultError.homeMoved(prepared.path) }
    }

    /// Checks that the home and what lies in it is closed to everybody but its owner.
    ///
    /// - Throws: ``VaultError/noHome(_:)`` where no `init` was run, ``VaultError/masterMissing(_:)``,
    ///   ``FileError`` for the first file or folder with a wrong owner or mode.
    package static func check(_ layout: HomeLayout) throws {
        try Folder.checkPrivate(layout.path)
        // While a restore moves things up, the database comes last.
        if try FileStatus.ifPresent(layout.restored.path) != nil,
            try FileStatus.ifPresent(layout.database) == nil
        {
            throw VaultError.restoreUnfinished(layout.path)
        }
        for folder in [layout.keys, layout.anchors] {
            guard let status = try FileStatus.ifPresent(folder) else {
                throw VaultError.noHome(layout.path)
            }
            try status.checkOurFolder()
        }
        try checkDatabase(layout)
        guard let master = try FileStatus.ifPresent(layout.master) else {
            throw VaultError.masterMissing(layout.path)
        }
        try master.checkOurFile()
        try checkSettings(layout)
    }

    /// Checks the database's file and those that SQLite opens beside it, as ``check(_:)`` does: it
    /// must not be opened otherwise, not even to read.
    ///
    /// - Throws: ``VaultError/noHome(_:)``, ``VaultError/databaseMissing(_:)``,
    ///   ``VaultError/restoreUnfinished(_:)``, ``VaultError/strayJournal(_:)``, ``FileError``.
    package static func checkDatabase(_ layout: HomeLayout) throws {
        guard let database = try FileStatus.ifPresent(layout.database) else {
            throw try layout.holdsKeys()
                ? VaultError.databaseMissing(layout.path) : VaultError.noHome(layout.path)
        }
        try database.checkOurFile()
        try checkBeside(layout)
        guard try FileStatus.ifPresent(layout.journal) == nil else {
            throw VaultError.strayJournal(layout.path)
        }
    }

    /// Checks the settings' file, where there is one, as ``check(_:)`` does.
    ///
    /// - Throws: ``FileError`` for a wrong owner or mode, or what is no file.
    package static func checkSettings(_ layout: HomeLayout) throws(FileError) {
        try FileStatus.ifPresent(layout.settings)?.checkOurFile()
    }

    /// Refuses to go on with a home that `init` left unfinished where SQLite would open something
    /// else than a file of ours, or would roll a journal into a database that is more than begun.
    ///
    /// A founding that dies while SQLite makes the database leaves a journal of its own: then the
    /// database has one page at most, so no record, and no log.
    ///
    /// - Throws: ``VaultError/strayJournal(_:)``, ``FileError``.
    package static func checkFounding(_ layout: HomeLayout) throws {
        for file in [layout.database, layout.master] {
            try FileStatus.ifPresent(file)?.checkOurFile()
        }
        try checkBeside(layout)
        guard let journal = try FileStatus.ifPresent(layout.journal) else { return }
        try journal.checkOurFile()
        let size = try FileStatus.ifPresent(layout.database)?.size ?? 0
        let log = try FileStatus.ifPresent(layout.log)?.size ?? 0
        guard size <= 4_096, log == 0 else { throw VaultError.strayJournal(layout.path) }
    }

    /// The names beside the database that SQLite opens, but for the journal that a home never has.
    private static func checkBeside(_ layout: HomeLayout) throws {
        for file in [layout.log, layout.logIndex] {
            try FileStatus.ifPresent(file)?.checkOurFile()
        }
    }
}
