import Clocks
import Files
import Merchants
import PKI
import Registry
import Vault

/// What the keys and side files of a home tell of its merchants and credentials.
///
/// The side file says what the record was; the key file holds the key and the certificate, and
/// decides where the two disagree.
struct KeySurvey {
    private(set) var merchants: [Merchant] = []
    private(set) var credentials: [Credential] = []
    private(set) var findings: [RebuildFinding] = []
    /// Key files that opened, and that did not.
    private(set) var opened = 0
    private(set) var unreadable = 0
    private var identifiers: Set<String> = []
    private let now: Timestamp

    init(at now: Timestamp) {
        self.now = now
    }

    /// Takes in all keys of one merchant.
    ///
    /// - Throws: ``FileError`` for a folder that cannot be read; a file that cannot becomes a
    ///   finding.
    mutating func add(
        _ merchant: MerchantIdentifier, in layout: HomeLayout, vault: Vault
    ) throws {
        var found: [(credential: Credential, side: SideFile?)] = []
        for slot in try layout.slots(of: merchant, withSideFilesAlone: true) {
            if let read = read(slot, vault: vault) { found.append(read) }
        }
        guard !found.isEmpty else { return }
        let realm =
            found.lazy.compactMap { $0.side.flatMap { try? RealmName($0.realm) } }.first ?? .apple
        merchants.append(
            Merchant(
                identifier: merchant, realm: realm,
                // An operator's environments are in the database alone.
                environments: realm == .apple ? [.production] : [], name: nil, displayName: nil,
                team: nil, owners: [], createdAt: found.map(\.credential.createdAt).min() ?? now,
                retiredAt: nil))
        credentials += found.map { $0.credential.with(realm: realm) }
    }

    private mutating func read(
        _ slot: KeySlot, vault: Vault
    ) -> (Credential, SideFile?)? {
        var side: SideFile?
        do {
            side = try vault.side(in: slot)
            if side == nil { note(.side(slot), "is missing, so its state is not known") }
        } catch {
            note(.side(slot), "was changed or is another key's, so its state is not known")
        }
        var kept: KeptKey?
        if vault.holdsKey(in: slot) {
            do {
                kept = try vault.key(in: slot)
                opened += 1
            } catch {
                unreadable += 1
                note(.bundle(slot), "does not open; it was left where it is")
            }
            if kept != nil, side?.state == .destroyed {
                // Not to be wiped on the word of a file: somebody has put the one or the other there.
                note(.side(slot), "says destroyed beside a key that is there, so it is abandoned")
                side?.state = .abandoned
            }
        } else if side?.state != .destroyed {
            note(.bundle(slot), "is missing")
        }
        if let id = side?.id, !identifiers.insert(id).inserted {
            note(.side(slot), "has the id of another credential, so it gets a new one")
            side?.id = CredentialIdentifier.random().text
        }
        let isGone = kept == nil && side?.state == .destroyed
        guard kept != nil || isGone else { return nil }
        return (credential(slot, side, kept), side)
    }

    private func credential(
        _ slot: KeySlot, _ side: SideFile?, _ kept: KeptKey?
    ) -> Credential {
        let certificate = kept?.certificate.map { CertificateRecord($0, issuerVerified: false) }
        let csr = side?.csr.flatMap { Base64.decode($0) }
        let state = Self.state(side?.state, isCertified: certificate != nil)
        return Credential(
            id: side.flatMap { try? CredentialIdentifier($0.id) } ?? .random(),
            merchant: slot.merchant, realm: .apple, kind: slot.kind,
            state: state, custody: .local,
            provider: nil, publicKeyHash: slot.publicKeyHash,
            keyAlgorithm: kept?.key.publicKey.algorithm.description
                ?? KeyAlgorithm(slot.kind.requiredKey).description,
            csr: csr, certificate: certificate, createdAt: side?.createdAt ?? now,
            activatedAt: side?.activatedAt,
            // Since when is not in the files: what waits for its time waits from now on.
            times: CredentialTimes(
                stateChangedAt: now, retiringSince: state == .retiring ? now : nil,
                rolledBackAt: side?.rolledBackAt))
    }

    /// The state by the side file, as far as the certificate bears it out.
    private static func state(_ told: CredentialState?, isCertified: Bool) -> CredentialState {
        guard let told else { return .abandoned }
        switch told {
        // The certificate was stored, and the crash came before the record.
        case .requested where isCertified: return .issued
        case .issued where !isCertified: return .requested
        default: return told
        }
    }

    // MARK: - States that exclude each other

    /// Sees to it that at most one credential of a merchant and kind is active.
    ///
    /// Side files follow the database one by one: a crash may have left the old one saying active
    /// beside the new one.
    mutating func settleStates() {
        let active = credentials.indices.filter { credentials[$0].state == .active }
        let groups = Dictionary(grouping: active) {
            "\(credentials[$0].merchant)/\(credentials[$0].kind.rawValue)"
        }
        for group in groups.values where group.count > 1 {
            let latest = group.max {
                (credentials[$0].activatedAt ?? credentials[$0].createdAt)
                    < (credentials[$1].activatedAt ?? credentials[$1].createdAt)
            }
            for index in group where index != latest {
                credentials[index] = credentials[index].with(state: .retiring)
                let slot = KeySlot(credentials[index])
                note(.side(slot), "says active beside a later one, so it is retiring")
            }
        }
    }

    private mutating func note(_ member: BackupMember, _ what: String) {
        findings.append(RebuildFinding(path: member.path, what: what))
    }
}

extension Credential {
    fileprivate func with(
        realm: RealmName? = nil, state: CredentialState? = nil
    ) -> Credential {
        Credential(
            id: id, merchant: merchant, realm: realm ?? self.realm, kind: kind,
            state: state ?? self.state, custody: custody, provider: provider,
            publicKeyHash: publicKeyHash, keyAlgorithm: keyAlgorithm, csr: csr,
            certificate: certificate, createdAt: createdAt, activatedAt: activatedAt,
            times: CredentialTimes(
                stateChangedAt: times.stateChangedAt,
                retiringSince: (state ?? self.state) == .retiring ? times.stateChangedAt : nil,
                rolledBackAt: times.rolledBackAt))
    }
}
