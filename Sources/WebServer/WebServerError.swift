package import Problems

/// Why the server could not start to listen.
package enum WebServerError: Explained, Equatable {
    case badAddress(_ text: String, what: String)
    case nowhereToListen
    case addressInUse(_ address: String)
    case addressNotHere(_ address: String)
    case notPermitted(_ address: String)
    case folderMissing(_ address: String)
    case notASocket(_ path: String)
    /// Another process holds a lock (flock(2)) on the folder of a Unix socket.
    case folderLocked(_ folder: String)
    /// A socket that was passed to this process is not one to serve on.
    case passedSocket(_ name: String, what: String)
    case cannotListen(_ address: String, errno: Int32)
    case cannotStart(_ address: String)
    /// Not one descriptor is left for connections.
    case tooFewFiles(_ address: String)

    package var code: String {
        switch self {
        case .badAddress: "listen.bad-address"
        case .nowhereToListen: "listen.no-address"
        case .addressInUse: "listen.address-in-use"
        case .addressNotHere: "listen.address-not-here"
        case .notPermitted: "listen.not-permitted"
        case .folderMissing: "listen.folder-missing"
        case .notASocket: "listen.not-a-socket"
        case .folderLocked: "listen.folder-locked"
        case .passedSocket: "listen.passed-socket"
        case .cannotListen: "listen.failed"
        case .cannotStart: "listen.cannot-start"
        case .tooFewFiles: "listen.too-few-files"
        }
    }

    package var summary: String {
        switch self {
        case .badAddress(let text, let what): "\"\(text.prefix(40))\" is no address: \(what)"
        case .nowhereToListen: "no address to listen on was given"
        case .addressInUse(let address): "another process listens on \(address) already"
        case .addressNotHere(let address): "no interface of this machine has the address \(address)"
        case .notPermitted(let address): "this user may not listen on \(address)"
        case .folderMissing(let address): "the folder of \(address) does not exist"
        case .notASocket(let path): "\(path) exists and is not a socket"
        case .folderLocked(let folder): "another process has locked the folder \(folder)"
        case .passedSocket(let name, let what):
            "\"\(name.prefix(40))\", passed by the service manager, cannot be served on: \(what)"
        case .cannotListen(let address, let errno):
            "cannot listen on \(address) (system error \(errno))"
        case .cannotStart(let address): "libmicrohttpd did not start on \(address)"
        case .tooFewFiles(let address): "there are too few open files allowed to serve \(address)"
        }
    }

    package var remedy: String {
        switch self {
        case .badAddress: "write 127.0.0.1:8765, [::1]:8765 or unix:/run/purser/purser.sock"
        case .nowhereToListen: "give an address to listen on, such as 127.0.0.1:8765"
        case .addressInUse: "stop the other process, or listen on another address"
        case .addressNotHere: "listen on an address of this machine, such as 127.0.0.1:8765"
        case .notPermitted: "use a port from 1024 on, or a folder that this user may write to"
        case .folderMissing: "create the folder, owned by the service's user"
        case .notASocket: "move that file away, or name another path"
        case .folderLocked(let folder):
            "find it with lslocks or fuser \(folder) and end it, or use a folder of this user's own"
        case .passedSocket:
            "have ListenStream= and Accept=no alone in the socket unit, as cron/purser.socket has"
        case .cannotListen: "look the number up with: errno NUMBER (package moreutils)"
        case .cannotStart: "raise the limit of open files (ulimit -n) and start again"
        case .tooFewFiles:
            "raise the limit of open files (ulimit -n, LimitNOFILE=), or lower serve.workers"
        }
    }

    package var nature: Nature {
        switch self {
        case .badAddress, .nowhereToListen, .addressNotHere, .notPermitted, .folderMissing,
            .notASocket, .passedSocket, .tooFewFiles:
            .configuration
        // Whoever is there may be gone in a moment: an old service that still drains, a test.
        case .addressInUse, .folderLocked: .unavailable
        case .cannotListen, .cannotStart: .internalFault
        }
    }

    package static var examples: [WebServerError] {
        [
            .badAddress("8765", what: "the port is missing"), .nowhereToListen,
            .addressInUse("127.0.0.1:8765"), .addressNotHere("192.0.2.1:8765"),
            .notPermitted("127.0.0.1:80"), .folderMissing("unix:/run/purser/purser.sock"),
            .notASocket("/etc/passwd"), .folderLocked("/run/purser"),
            .passedSocket("purser.socket", what: "it does not listen"),
            .cannotListen("127.0.0.1:8765", errno: 12),
            .cannotStart("127.0.0.1:8765"), .tooFewFiles("127.0.0.1:8765"),
        ]
    }
}
