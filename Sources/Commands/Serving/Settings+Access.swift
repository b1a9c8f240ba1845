import API
import Glibc
import Networks
import Settings

extension Settings.Serve {
    /// The reverse proxies whose word counts.
    var proxies: Doorkeeper.Proxies {
        Doorkeeper.Proxies(
            trustedProxies.compactMap { try? NetworkRange($0) },
            isSocketTrusted: trustedProxies.contains("unix"))
    }

    /// The uids that may use the Unix socket without a token: root, the service's own, and those that
    /// are named.
    ///
    /// - Throws: ``ServeError/userUnknown(_:)``.
    func socketUserIDs() throws(ServeError) -> Set<UInt32> {
        var ids: Set<UInt32> = [0, geteuid()]
        for user in socketUsers { ids.insert(try Self.uid(of: user)) }
        return ids
    }

    private static func uid(of user: String) throws(ServeError) -> UInt32 {
        if let number = UInt32(user) { return number }
        var entry = passwd()
        var found: UnsafeMutablePointer<passwd>?
        var buffer = [CChar](repeating: 0, count: 16_384)
        guard getpwnam_r(user, &entry, &buffer, buffer.count, &found) == 0, found != nil else {
            throw .userUnknown(user)
        }
        return entry.pw_uid
    }
}
