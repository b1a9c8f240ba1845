import API
import Database
import Issuance
import Registry

/// Writes down now and then when each API token was last used, so that no request waits for it.
struct TokenUseKeeper: Sendable {
    /// A token's last use is known to this.
    private static let interval = Duration.seconds(60)

    private let home: OpenHome
    private let uses: TokenUses

    init(home: OpenHome, uses: TokenUses) {
        self.home = home
        self.uses = uses
    }

    /// Keeps at it until its task is cancelled, and then once more.
    func run() async {
        while !Task.isCancelled {
            try? await Task.sleep(for: Self.interval)
            await write()
        }
    }

    /// What cannot be written is kept for the next time: a full disk must not be told each minute by
    /// what nobody waits for.
    private func write() async {
        let taken = uses.take()
        guard !taken.isEmpty else { return }
        do {
            // Not given up by the cancellation that ends the service.
            try await Task {
                try await home.database.write { transaction in
                    for (id, use) in taken {
                        try APITokens.noteUse(
                            of: id, at: use.at, from: use.place, in: transaction)
                    }
                }
            }.value
        } catch {
            uses.putBack(taken)
        }
    }
}
