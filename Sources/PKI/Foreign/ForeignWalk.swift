internal import Secrets

/// One walk through bytes of unknown origin, gathering what is inside; lives for one call.
struct ForeignWalk {
    var contents = ForeignContents(description: "")
    var budget: IterationBudget
    let passwords: PasswordSpellings
    /// Whether somebody gave a password: only then one can be wrong.
    let hasPassword: Bool
    /// The curve of a block before the one that is being read.
    private var curve: [UInt8]?

    init(passwords: [SecretBytes], budget: IterationBudget) {
        self.passwords = PasswordSpellings(passwords)
        self.hasPassword = !passwords.isEmpty
        self.budget = budget
    }

    static let whole = "the file"

    mutating func readAll(_ bytes: SecretBytes) {
        contents.description = ForeignShape.unknown.description
        attempt(Self.whole) { walk throws(PKIError) in
            guard bytes.count <= ForeignReader.sizeLimit else {
                throw .tooLarge("file", limit: ForeignReader.sizeLimit)
            }
            walk.contents.description = try walk.read(bytes, at: Self.whole)
            guard !walk.contents.isEmpty || !walk.contents.problems.isEmpty else {
                throw .nothingFound
            }
        }
    }

    consuming func finished() -> ForeignContents {
        contents.iterationsSpent = budget.spent
        return contents
    }

    // MARK: - Layers

    /// Reads `bytes`, whatever they are, and says what they are.
    ///
    /// `encodings` counts the layers of base64 without markers, of which two are undone.
    private mutating func read(
        _ bytes: SecretBytes, at place: String, depth: Int = 0, encodings: Int = 0
    ) throws(PKIError) -> String {
        guard depth < ForeignReader.nestingLimit, encodings <= 2 else {
            throw .nestedTooDeeply(limit: ForeignReader.nestingLimit)
        }
        var copy = unsafe bytes.withUnsafeBytes { unsafe Array($0) }
        defer { wipe(&copy) }
        if let narrowed = ForeignText.narrowed(copy) {
            return try read(narrowed, at: place, depth: depth + 1, encodings: encodings)
                + " in UTF-16"
        }
        guard ForeignText.isText(copy), copy.count > 0 else {
            return try readValues(copy, at: place, depth: depth)
        }
        let blocks = ForeignText.blocks(in: copy, limit: ForeignReader.itemLimit)
        if !blocks.isEmpty {
            return try readBlocks(blocks, at: place, depth: depth, encodings: encodings)
        }
        if let inner = ForeignText.bare(copy) {
            return try read(inner, at: place, depth: depth + 1, encodings: encodings + 1)
                + " in base64"
        }
        throw .unreadable(ForeignShape.recognise(Self.start(of: copy)))
    }

    /// As much of a text as tells what it is, not cut within a character.
    private static func start(of text: [UInt8]) -> [UInt8] {
        let start = text.prefix(4_096)
        guard start.count < text.count, let end = start.lastIndex(where: { $0 < 0x80 }) else {
            return text
        }
        return Array(start[...end])
    }

    private mutating func readBlocks(
        _ blocks: [ForeignText.Block], at place: String, depth: Int, encodings: Int
    ) throws(PKIError) -> String {
        guard blocks.count <= ForeignReader.itemLimit else {
            throw .tooManyItems(limit: ForeignReader.itemLimit)
        }
        for (index, block) in blocks.enumerated() {
            let name = "block \(index + 1)"
            let here =
                place != Self.whole ? "\(name) of \(place)" : blocks.count == 1 ? place : name
            attempt(here) { walk throws(PKIError) in
                try walk.read(block, at: here, depth: depth + 1, encodings: encodings)
            }
        }
        return ForeignShape.pem(labels: blocks.map { Self.spaced($0.label) }).description
    }

    private mutating func read(
        _ block: ForeignText.Block, at place: String, depth: Int, encodings: Int
    ) throws(PKIError) {
        if block.label.hasPrefix("OPENSSH") { throw .unreadable(.openSSHKey) }
        if block.label.hasPrefix("PGP") { throw .unreadable(.pgp) }
        guard block.isWhole else {
            throw .malformedPEM("a block has no end of its own; the text was cut off")
        }
        guard let bytes = block.contents else {
            throw .malformedPEM("it holds something other than base64")
        }
        let curve = self.curve
        self.curve = nil
        if let encryption = block.encryption {
            return try readTraditional(bytes, encryption, curve: curve, at: place)
        }
        switch block.label {
        // openssl ecparam -genkey writes the curve before the key, which repeats it, or does not.
        case "ECPARAMETERS": self.curve = unsafe bytes.withUnsafeBytes { unsafe Array($0) }
        case let label where label.hasSuffix("PARAMETERS"): return
        case "X509CRL": contents.warn("a revocation list (\(place)) was passed over")
        case "RSAPUBLICKEY":
            try add(
                PublicKey(
                    subjectPublicKeyInfo: Self.wrapped(
                        rsa: unsafe bytes.withUnsafeBytes { unsafe Array($0) })), at: place)
        case "TRUSTEDCERTIFICATE":
            // What OpenSSL trusts it for follows behind the certificate.
            try readFirstValue(bytes, at: place)
        default:
            let whole = curve.flatMap { SEC1Key.completed(bytes, by: $0) }
            _ = try read(whole ?? bytes, at: place, depth: depth, encodings: encodings)
        }
    }

    // MARK: - DER

    /// Reads binary values, one behind the other, as `cat a.cer b.cer` makes them.
    private mutating func readValues(
        _ bytes: [UInt8], at place: String, depth: Int
    ) throws(PKIError) -> String {
        let ranges = try Self.values(in: bytes)
        var description = ""
        for (index, range) in ranges.enumerated() {
            let here = ranges.count == 1 ? place : "value \(index + 1) of \(place)"
            var value = Array(bytes[range])
            defer { wipe(&value) }
            let shape = ForeignShape.recognise(der: value)
            description = description.isEmpty ? shape.description : description
            attempt(here) { walk throws(PKIError) in try walk.read(value, shape, at: here) }
        }
        return ranges.count > 1 ? "\(ranges.count) DER values in a row" : description
    }

    private mutating func readFirstValue(_ bytes: SecretBytes, at place: String) throws(PKIError) {
        let der = unsafe bytes.withUnsafeBytes { unsafe Array($0) }
        guard let range = try Self.values(in: der).first else { throw .nothingFound }
        let value = Array(der[range])
        try read(value, ForeignShape.recognise(der: value), at: place)
    }

    private mutating func read(
        _ der: [UInt8], _ shape: ForeignShape, at place: String
    ) throws(PKIError) {
        switch shape {
        case .certificate: try add(Certificate(der: der), at: place)
        case .request: try add(CertificateSigningRequest(der: der), at: place)
        case .publicKey: try add(PublicKey(subjectPublicKeyInfo: der), at: place)
        case .privateKey(encrypted: false):
            let key = try PrivateKey(unproven: SecretBytes(copying: der))
            try prove(key)
            try add(key, at: place)
        case .privateKey(encrypted: true): try readEncrypted(der, at: place)
        case .pkcs7:
            for (index, certificate) in try CertificateEnvelope.certificates(in: der).enumerated() {
                try add(
                    certificate,
                    at: "certificate \(index + 1) of the PKCS#7 \(Self.part(place))")
            }
        case .pkcs12: try readBundle(der, at: place)
        default: throw .unreadable(shape)
        }
    }

    /// Where each outermost value begins and ends; padding behind the last is passed over.
    private static func values(in bytes: [UInt8]) throws(PKIError) -> [Range<Int>] {
        let whole = ForeignShape.recognise(bytes)
        if case .truncatedDER(let missing) = whole { throw .truncated(missing: missing) }
        guard bytes.first == 0x30 else { throw .unreadable(whole) }
        var ranges: [Range<Int>] = []
        var reader = DERReader(bytes)
        while !reader.isAtEnd {
            let end = ranges.last?.upperBound ?? 0
            if bytes[end...].allSatisfy(ForeignText.isPadding) { break }
            guard bytes[end] == 0x30, let value = try? reader.next() else {
                throw .trailingBytes(after: ranges.count == 1 ? "first value" : "file")
            }
            guard ranges.count < ForeignReader.itemLimit else {
                throw .tooManyItems(limit: ForeignReader.itemLimit)
            }
            ranges.append(value.encoded.startIndex..<value.encoded.endIndex)
        }
        return ranges
    }
}
