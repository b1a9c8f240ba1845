import API
import Clocks
import HomeSupport
import Issuance
import Merchants
import Sessions
import Vault

extension Doorkeeper {
    /// One that trusts no proxy, and lets root use the Unix socket.
    init(uses: TokenUses = TokenUses(), proxies: Proxies = Proxies()) {
        self.init(clock: SystemClock(), uses: uses, proxies: proxies, socketUsers: [0])
    }
}

extension Shop {
    /// The shop's home behind an HTTP API.
    func desk(_ sessions: SessionDesk) -> HomeDesk {
        HomeDesk(home: home, vault: vault, desk: sessions, periods: RotationPeriods())
    }
}
