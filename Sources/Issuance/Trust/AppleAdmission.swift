import Merchants
import PKI

/// Which of some certificates may come into realm `apple`: its pinned roots, and authorities that
/// verify to them.
///
/// Pure, and all or nothing: one that is neither refuses the others with it, so that nobody
/// believes a file to be taken that was taken in part.
struct AppleAdmission {
    /// The pinned ones first.
    let certificates: [Certificate]

    /// Judges `offered` beside what is trusted already.
    init(_ offered: [Certificate], beside known: RealmTrust) throws(TrustError) {
        let isPinned = { (certificate: Certificate) in
            AppleRoot(fingerprint: certificate.sha256) != nil
        }
        let roots = offered.filter(isPinned)
        let others = offered.filter { !isPinned($0) }
        let trust = RealmTrust(
            roots: known.roots + roots.filter { !known.roots.contains($0) },
            intermediates: known.intermediates + others)
        for certificate in others {
            let name = TrustError.name(of: certificate)
            guard certificate.isCA else { throw .notAnAuthority(name) }
            guard !certificate.isSelfSigned else { throw .notPinned(name) }
            switch trust.verdict(on: certificate) {
            case .verified: break
            case .issuerUnknown: throw .issuerUnknown(name)
            case .invalid(let reason): throw .notIssued(name, reason: reason)
            }
        }
        certificates = roots + others
    }
}
