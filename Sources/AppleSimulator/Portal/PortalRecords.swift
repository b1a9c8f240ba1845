import Clocks
import Merchants

/// What the portal knows, and Apple's rules about it.
struct PortalRecords: Sendable {
    struct RegisteredMerchant: Sendable {
        var team: String
        var domains: Set<String>
    }

    var merchants: [String: RegisteredMerchant] = [:]
    /// In the order of issue.
    var certificates: [IssuedCertificate] = []
    /// The identities that the gateways refuse though nothing is wrong with them, by serial number.
    private(set) var refusals: [String: IdentityRefusal] = [:]

    /// Three identities may be active at once; of processing certificates one is active and a
    /// second, inactive one may exist, in each of the two sorts (TN3206).
    static func limit(of kind: CredentialKind) -> Int { kind.isProcessing ? 2 : 3 }

    func checkLimit(_ kind: CredentialKind, of merchant: String, now: Timestamp) throws {
        let count = certificates.count {
            $0.merchant == merchant && $0.kind == kind && $0.counts(at: now)
        }
        guard count < Self.limit(of: kind) else {
            throw SimulatorError.limitReached(kind, limit: Self.limit(of: kind))
        }
    }

    /// Files a new certificate; a processing certificate becomes active when no other is.
    mutating func add(_ issued: IssuedCertificate, now: Timestamp) {
        var issued = issued
        issued.isActive =
            issued.kind.isProcessing && !issued.isFaulty
            && activeIndex(issued.kind, of: issued.merchant, now: now) == nil
        certificates.append(issued)
    }

    /// Activates a processing certificate, at once and for good.
    mutating func activate(_ serialNumber: String, now: Timestamp) throws {
        let index = try self.index(of: serialNumber)
        let issued = certificates[index]
        guard issued.kind.isProcessing else { throw SimulatorError.notActivatable(serialNumber) }
        guard !issued.isRevoked else { throw SimulatorError.alreadyRevoked(serialNumber) }
        guard !issued.isSuperseded else { throw SimulatorError.superseded(serialNumber) }
        guard !issued.isActive else { return }
        for other in certificates.indices
        where certificates[other].isActive && certificates[other].merchant == issued.merchant
            && certificates[other].kind == issued.kind
        {
            certificates[other].isActive = false
            certificates[other].isSuperseded = true
        }
        certificates[index].isActive = true
    }

    /// Revokes a certificate; revoking the active processing certificate activates the spare one.
    mutating func revoke(_ serialNumber: String, now: Timestamp) throws {
        let index = try self.index(of: serialNumber)
        guard !certificates[index].isRevoked else {
            throw SimulatorError.alreadyRevoked(serialNumber)
        }
        certificates[index].isRevoked = true
        guard certificates[index].isActive else { return }
        certificates[index].isActive = false
        let revoked = certificates[index]
        let spare = certificates.firstIndex {
            $0.merchant == revoked.merchant && $0.kind == revoked.kind && !$0.isSuperseded
                && $0.counts(at: now)
        }
        if let spare { certificates[spare].isActive = true }
    }

    /// Makes the gateways refuse these identities, and no others any more.
    mutating func refuse(_ wanted: [String: IdentityRefusal]) throws {
        var refusals: [String: IdentityRefusal] = [:]
        for (serialNumber, refusal) in wanted {
            refusals[certificates[try index(of: serialNumber)].serialNumber] = refusal
        }
        self.refusals = refusals
    }

    func isRevoked(_ serialNumber: String) -> Bool {
        certificates.contains { $0.serialNumber == serialNumber && $0.isRevoked }
    }

    /// Whether Apple could encrypt a payment token for `merchant`.
    func hasActiveProcessing(_ merchant: String, now: Timestamp) -> Bool {
        CredentialKind.allCases.contains { activeIndex($0, of: merchant, now: now) != nil }
    }

    private func activeIndex(
        _ kind: CredentialKind, of merchant: String, now: Timestamp
    ) -> Int? {
        certificates.firstIndex {
            $0.isActive && $0.merchant == merchant && $0.kind == kind && $0.counts(at: now)
        }
    }

    private func index(of serialNumber: String) throws -> Int {
        let wanted = serialNumber.uppercased()
        guard let index = certificates.firstIndex(where: { $0.serialNumber == wanted }) else {
            throw SimulatorError.unknownCertificate(serialNumber)
        }
        return index
    }
}
