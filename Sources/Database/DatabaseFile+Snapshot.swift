extension DatabaseFile {
    /// Writes one state of the database, whatever others commit meanwhile, into a new file.
    ///
    /// `copy` is made with mode 0600; there must be nothing of that name. It is compact, holds no
    /// deleted rows and has no log of its own; like the database it is opened by ``open(path:mode:migrations:busyTimeout:)``.
    /// It is not synchronised: it is for reading now, and not for keeping.
    ///
    /// - Throws: ``DatabaseError``; the caller removes what is left then.
    package func snapshot(to copy: String) throws {
        let connection = try connected()
        try connection.files?.refuseReplaced()
        try DatabaseFiles.make(at: copy)
        try connection.vacuum(into: copy)
        try connection.files?.refuseReplaced()
    }
}
