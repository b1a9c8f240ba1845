package import Problems

/// What is wrong with the history.
package enum LedgerError: Explained, Equatable {
    /// An entry is missing, was changed, or does not follow from the one before.
    case broken(entry: Int64, what: String)
    /// The chain is whole and yet does not hold the head that was kept elsewhere.
    case headMissing(entries: Int64)
    /// The head given is not 64 hex digits.
    case badHead

    package var code: String {
        switch self {
        case .broken: "ledger.broken"
        case .headMissing: "ledger.head-missing"
        case .badHead: "ledger.bad-head"
        }
    }

    package var summary: String {
        switch self {
        case .broken(let entry, let what): "the ledger is broken at entry \(entry): \(what)"
        case .headMissing(let entries):
            "the head does not match: none of the ledger's \(entries) entries has this hash"
        case .badHead: "this is no head of a ledger"
        }
    }

    package var remedy: String {
        switch self {
        case .headMissing:
            "look for a slip in the hash; if there is none, history was cut: compare with a backup"
        case .broken:
            "treat the home as tampered with: keep a copy, and compare it with a backup"
        case .badHead: "give the 64 hex digits that purser audit verify has printed"
        }
    }

    package var nature: Nature {
        switch self {
        case .broken: .internalFault
        case .headMissing, .badHead: .badData
        }
    }

    package static var examples: [LedgerError] {
        [.broken(entry: 17, what: "its hash does not fit"), .headMissing(entries: 204), .badHead]
    }
}
