import Clocks

extension RotationStep {
    /// One sentence: what has to be done; lower case, without full stop.
    package func summary(for merchant: MerchantIdentifier, _ kind: CredentialKind) -> String {
        switch self {
        case .request: "make a new key and its CSR"
        case .requestFromProvider(let provider): "get a CSR from \(provider)"
        case .submit(let id): "hand the CSR of \(id) to Apple and import its certificate"
        case .submitForProvider(let id, let provider):
            "hand the CSR that \(provider) made (\(id)) to Apple and import its certificate"
        case .promote(let id): "rehearse \(id) and put it to use"
        case .activateAtApple(let id): "activate \(id) in Apple's portal and record it"
        case .activateAtProvider(let id, let provider):
            "have \(provider) use \(id), and record it"
        case .decide(let id):
            "decide what becomes of \(id), which sessions went back from"
        case .choose(let ids):
            "say which candidate is meant: \(ids.map(\.text).joined(separator: ", "))"
        case .wait(let id, let date): "wait: \(id) is kept until \(date)"
        case .retire(let id): "take \(id) out of use"
        }
    }

    /// What to do, line by line: Apple's portal in words, and commands to paste.
    package func instructions(
        for merchant: MerchantIdentifier, _ kind: CredentialKind
    ) -> [String] {
        switch self {
        case .request: ["purser rotate \(merchant) \(kind.rawValue)"]
        case .requestFromProvider(let provider):
            [
                "ask \(provider) for a CSR for \(kind.title) (\(kind.requiredKey.rawValue))",
                "purser certificate request \(merchant) \(kind.rawValue) --csr FILE --provider '\(provider)'",
            ]
        case .submit(let id):
            ["purser certificate show \(id) --csr > \(id).csr"]
                + Self.portal(merchant, kind, upload: "\(id).csr")
                + ["purser certificate import \(merchant) FILE"]
        case .submitForProvider(_, let provider):
            Self.portal(merchant, kind, upload: "the CSR that \(provider) made")
                + [
                    "purser certificate import \(merchant) FILE",
                    "give the certificate to \(provider), too",
                ]
        case .promote(let id): ["purser certificate activate \(id)"]
        case .activateAtApple(let id):
            [
                "sign in at \(Self.portalAddress) as Account Holder or Admin, and open \(merchant)",
                "beside the new \(kind.title) certificate choose Activate: at once, and for good",
                "purser certificate activated \(id)",
            ]
        case .activateAtProvider(let id, let provider):
            [
                "ask \(provider) to use the new certificate",
                "purser certificate activated \(id)",
            ]
        case .decide(let id):
            [
                "find out why Apple refused it: purser certificate rehearse \(id)",
                "use it again: purser certificate activate \(id)",
                "or give it up: purser certificate abandon \(id)",
            ]
        case .choose(let ids):
            [
                "give up all but the one that is meant: "
                    + ids.map { "purser certificate abandon \($0)" }.joined(separator: ", or: ")
            ]
        case .wait: []
        case .retire(let id): ["purser certificate retire \(id)"]
        }
    }

    private static let portalAddress =
        "https://developer.apple.com/account/resources/identifiers/list/merchant"

    /// The way through Apple's portal, as its own help describes it ("Configure Apple Pay").
    private static func portal(
        _ merchant: MerchantIdentifier, _ kind: CredentialKind, upload file: String
    ) -> [String] {
        let section =
            kind.isProcessing
            ? "Apple Pay Payment Processing Certificate" : "Apple Pay Merchant Identity Certificate"
        var lines = [
            "sign in at \(portalAddress) as Account Holder or Admin, and open \(merchant)",
            "under \(section) choose Create Certificate",
        ]
        if kind.isProcessing {
            let answer = kind == .paymentProcessingRSA ? "Yes" : "No"
            lines.append("asked about processing exclusively in mainland China, answer \(answer)")
        }
        lines.append("upload \(file), and download the certificate")
        return lines
    }
}
