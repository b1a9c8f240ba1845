import Clocks
import Database
import Files
import Issuance
import Merchants
import PKI
import Registry
import Vault

/// The roots are there, unexpired, and in realm `apple` none but Apple's.
enum TrustCheck {
    static let check = Check("trust", needs: [.records]) { patient in
        guard case .open(let home) = patient.records else { return [] }
        var findings = Findings("trust")
        let now = patient.clock.now
        let all = try await home.trusted()
        let present = RealmTrust.apple(all)
        for trusted in all {
            let name = "\(trusted.record.realm)/\(trusted.record.fingerprint)"
            guard let certificate = trusted.certificate else {
                findings.add(.critical, name, IssuanceError.anchorMissing(name))
                continue
            }
            if certificate.notAfter <= now {
                findings.add(
                    .warning, name,
                    "\(shown(certificate)) has expired on \(certificate.notAfter)",
                    remedy: trusted.record.realm == .apple
                        ? "get what took its place: purser trust fetch"
                        : "add the new one: purser environment add NAME --apple-root FILE")
            }
            if trusted.standing == .verified, !present.proves(certificate) {
                findings.add(
                    .critical, name, "\(shown(certificate)) does not verify to a root of Apple's",
                    remedy: "nothing is believed for it; find out who wrote it into the database")
            }
        }
        let recorded = Set(all.map { "\($0.record.realm)/\($0.record.fingerprint).pem" })
        for entry in HomeTree(patient.layout).entries
        where entry.parts.first == "anchors" && entry.parts.count == 3
            && !entry.parts[2].hasPrefix(DurableFile.temporaryPrefix)
            && !recorded.contains("\(entry.parts[1])/\(entry.parts[2])")
        {
            findings.add(
                .ok, entry.path, "nothing is trusted for this file: no record names it",
                remedy: "remove it, or add it again: purser trust list shows what is trusted")
        }
        let merchants = try await home.database.read { try MerchantRecords.list(in: $0) }
        if present.roots.isEmpty,
            merchants.contains(where: { $0.realm == .apple && $0.retiredAt == nil })
        {
            findings.add(
                .ok, RealmName.apple.text,
                "none of Apple's roots is here, so that certificates are unproven",
                remedy: "get them: purser trust fetch")
        }
        return findings.all
    }

    private static func shown(_ certificate: Certificate) -> String {
        "“\((certificate.subject.commonName ?? certificate.subject.rfc4514).prefix(50))”"
    }
}

extension RealmTrust {
    /// What is there of Apple's.
    fileprivate static func apple(_ all: [TrustedCertificate]) -> RealmTrust {
        let apple = all.filter { $0.record.realm == .apple }
        return RealmTrust(
            roots: apple.filter { $0.standing == .pinned }.compactMap(\.certificate),
            intermediates: apple.filter { $0.standing == .verified }.compactMap(\.certificate))
    }

    fileprivate func proves(_ certificate: Certificate) -> Bool {
        TrustStore(roots: roots).verify(certificate, intermediates: intermediates, at: nil)
            .isVerified
    }
}
