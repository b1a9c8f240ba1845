import Glibc
import TestSupport
import Testing

/// `nobody`, a user to whom nothing here belongs; root would pass every check of permissions.
enum OtherUser {
    static let id = "65534"
    static let isPossible = geteuid() == 0
    static let reason: Comment = "becoming another user needs root"

    /// LeakSanitizer cannot look into a process that may go back to being root.
    static let mayGoBack = getenv("PURSER_SANITIZED").map { String(cString: $0) } != "address"
    static let mayNotGoBack: Comment = "LeakSanitizer cannot look into what may be root again"

    private static let folder = TemporaryFolder()

    /// A copy of `purser` where everybody may run it: the build may lie in a closed folder.
    static let program = Task { () throws -> String in
        let path = folder.file("purser")
        try await tool("cp", [Binaries.purser, path])
        try await tool("chmod", ["0755", folder.path, path])
        return path
    }

    /// Runs `purser` as `nobody`.
    static func purser(
        _ arguments: [String], input: [UInt8] = []
    ) async throws -> ForeignProcess.Result {
        try await ForeignProcess.runBeside(
            "setpriv", Array(launcher.dropFirst()) + [try await program.value] + arguments,
            input: input,
            environment: TestHome.environment)
    }

    /// Runs any program as `nobody`.
    static func run(_ words: [String]) async throws -> ForeignProcess.Result {
        try await ForeignProcess.runBeside(
            "setpriv", launcher.dropFirst() + words, environment: TestHome.environment)
    }

    /// What makes a program run as `nobody` when it is put before its words.
    static let launcher = ["setpriv", "--reuid", id, "--regid", id, "--clear-groups"]
}

extension TestHome {
    /// Gives the home to `nobody`, and lets everybody reach its place; its key file stays ours.
    ///
    /// The home's own folder gets root's group, as `chown nobody` leaves it.
    func giveAway() async throws {
        try await tool("chown", ["-R", "\(OtherUser.id):\(OtherUser.id)", path])
        try await tool("chown", ["\(OtherUser.id):0", path])
        try await tool("chmod", ["0711", folder.path])
    }
}
