import Daemon
import Settings
import WebServer

/// Where `purser serve` listens: at addresses of its own, and on sockets that the service manager passed.
struct ListeningPlaces: Sendable {
    /// Those that are opened here.
    let addresses: [ListenAddress]
    let passed: [PassedSocket]

    /// Passed sockets take the place of the default address.
    ///
    /// Addresses that somebody named are served beside them, each once.
    ///
    /// - Throws: ``WebServerError/passedSocket(_:what:)``.
    init(_ resolved: ResolvedSettings, passed: [PassedDescriptor]) throws(WebServerError) {
        var sockets: [PassedSocket] = []
        for one in passed { sockets.append(try PassedSocket(one.number, name: one.name)) }
        self.passed = sockets
        let named = resolved.isDefault("listen") && !sockets.isEmpty ? [] : resolved.settings.listen
        addresses = named.filter { address in !sockets.contains { $0.address == address } }
    }

    /// All of them.
    var all: [ListenAddress] { passed.map(\.address) + addresses }
}
