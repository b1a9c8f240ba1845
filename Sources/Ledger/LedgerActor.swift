internal import Glibc

/// Who did it: a user of this machine, with the login behind `sudo`, an API token, or a service by
/// itself.
package struct LedgerActor: Sendable, Hashable, CustomStringConvertible {
    /// As it is recorded, such as `user:alice (uid 1000, login 1000)`.
    package let text: String

    private init(text: String) {
        self.text = text
    }

    /// A user named `name`; `login` is the uid that logged in (proc(5), `loginuid`), nil when none
    /// did, as for a service.
    package static func user(name: String, uid: UInt32, login: UInt32?) -> LedgerActor {
        LedgerActor(text: "user:\(name) (uid \(uid), login \(login.map(String.init) ?? "none"))")
    }

    /// The holder of the API token with this id; the token itself is never recorded.
    package static func token(id: String) -> LedgerActor {
        LedgerActor(text: "token:\(id)")
    }

    /// A service that acts by itself, by the user that it runs as.
    package static func service(user: String, uid: UInt32) -> LedgerActor {
        LedgerActor(text: "service:\(user) (uid \(uid))")
    }

    /// This process, acting by itself and for nobody.
    package static func currentService() -> LedgerActor {
        let uid = geteuid()
        return service(user: name(of: uid) ?? "unknown", uid: uid)
    }

    /// The effective user of this process.
    ///
    /// The login uid survives `su`, `sudo` and our own stepping down from root.
    package static func current() -> LedgerActor {
        let uid = geteuid()
        return user(name: name(of: uid) ?? "unknown", uid: uid, login: loginUID())
    }

    private static func name(of uid: uid_t) -> String? {
        var entry = passwd()
        var found: UnsafeMutablePointer<passwd>?
        var buffer = [CChar](repeating: 0, count: 16_384)
        guard getpwuid_r(uid, &entry, &buffer, buffer.count, &found) == 0, found != nil else {
            return nil
        }
        return String(cString: entry.pw_name)
    }

    private static func loginUID() -> UInt32? {
        guard let file = fopen("/proc/self/loginuid", "re") else { return nil }
        defer { fclose(file) }
        var digits = [UInt8](repeating: 0, count: 16)
        let count = fread(&digits, 1, digits.count, file)
        guard let uid = UInt32(String(decoding: digits[..<count], as: UTF8.self)) else {
            return nil
        }
        // (uid_t) −1: nobody has logged in.
        return uid == .max ? nil : uid
    }

    package var description: String { text }
}
