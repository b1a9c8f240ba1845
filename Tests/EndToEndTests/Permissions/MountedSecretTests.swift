import Glibc
import TestSupport
import Testing

/// A home and its key file as an engine of containers mounts them: cron/containers.
@Suite(.twoAtATime) struct MountedSecretTests {
    @Test(.enabled(if: OtherUser.isPossible, OtherUser.reason))
    func `a volume and a secret of Kubernetes are a home's place and its key`() async throws {
        let folder = TemporaryFolder()
        // Root's volume with the group of fsGroup; a secret is root's, too, for that group to read, and
        // a link to a link.
        let volume = folder.file("volume")
        let secrets = folder.file("secrets")
        try await tool("mkdir", ["-p", volume, "\(secrets)/..1"])
        folder.write("secrets/..1/master-key", (0..<32).map { UInt8($0) })
        try await tool("chmod", ["0755", folder.path, secrets, "\(secrets)/..1"])
        try await tool("chmod", ["0440", "\(secrets)/..1/master-key"])
        try await tool("chown", ["-R", "0:\(OtherUser.id)", volume, secrets])
        try await tool("chmod", ["2775", volume])
        try await tool("ln", ["-s", "..1", "\(secrets)/..data"])
        try await tool("ln", ["-s", "..data/master-key", "\(secrets)/master-key"])
        // As the image sets them.
        var environment = TestHome.environment
        environment["PURSER_HOME"] = "\(volume)/home"
        environment["CREDENTIALS_DIRECTORY"] = secrets
        environment["PURSER_MASTER_KEY_FILE"] = "\(secrets)/master-key"
        for words in [["init"], ["renew", "--commit"], ["doctor"]] {
            let result = try await ForeignProcess.runBeside(
                "setpriv",
                Array(OtherUser.launcher.dropFirst()) + [try await OtherUser.program.value] + words,
                environment: environment)
            #expect(result.status == 0, "\(words): \(result.text)\(result.errorText)")
        }
        let mode = try await ForeignProcess.runBeside("stat", ["-c", "%a %u", "\(volume)/home"])
        #expect(mode.text.hasSuffix("700 \(OtherUser.id)\n"))
    }
}
