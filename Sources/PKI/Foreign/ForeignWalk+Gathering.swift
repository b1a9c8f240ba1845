/// What is found, what is wrong, and how both are called.
extension ForeignWalk {
    /// Runs one part; what is wrong with it is written down and does not stop the rest.
    mutating func attempt(
        _ place: String, _ body: (inout ForeignWalk) throws(PKIError) -> Void
    ) {
        do throws(PKIError) {
            try body(&self)
        } catch {
            // One file may be wrong in as many ways as it has parts.
            guard contents.problems.count < ForeignReader.itemLimit else { return }
            contents.problems.append(.init(place: place, error: error.namingDepth))
        }
    }

    mutating func admit() throws(PKIError) {
        guard contents.count < ForeignReader.itemLimit else {
            throw .tooManyItems(limit: ForeignReader.itemLimit)
        }
    }

    mutating func add(
        _ key: PrivateKey, at place: String, name: String? = nil,
        protection: ForeignProtection? = nil
    ) throws(PKIError) {
        try admit()
        guard !contents.keys.contains(where: { $0.value.publicKey == key.publicKey }) else {
            return
        }
        contents.keys.append(.init(value: key, place: place, name: name, protection: protection))
    }

    mutating func add(
        _ certificate: Certificate, at place: String, name: String? = nil,
        protection: ForeignProtection? = nil
    ) throws(PKIError) {
        try admit()
        guard !contents.certificates.contains(where: { $0.value == certificate }) else { return }
        contents.certificates.append(
            .init(value: certificate, place: place, name: name, protection: protection))
    }

    mutating func add(
        _ request: CertificateSigningRequest, at place: String
    ) throws(PKIError) {
        try admit()
        contents.requests.append(.init(value: request, place: place, name: nil, protection: nil))
    }

    mutating func add(_ key: PublicKey, at place: String) throws(PKIError) {
        try admit()
        contents.publicKeys.append(.init(value: key, place: place, name: nil, protection: nil))
    }

    // MARK: - Words

    /// `file`, or `in block 2`, to follow the name of a format.
    static func part(_ place: String) -> String {
        place == whole ? "file" : "in \(place)"
    }

    /// A label with the blanks that it lost on the way here.
    static func spaced(_ label: String) -> String {
        var label = label
        for tail in ["KEY", "REQUEST", "CERTIFICATE", "PARAMETERS"]
        where label.hasSuffix(tail) && label.count > tail.count {
            label = spaced(String(label.dropLast(tail.count))) + " " + tail
            break
        }
        for tail in ["PRIVATE", "PUBLIC"] where label.hasSuffix(tail) && label.count > tail.count {
            label = String(label.dropLast(tail.count)) + " " + tail
        }
        return label
    }

    /// PKCS#1's public key as a SubjectPublicKeyInfo.
    static func wrapped(rsa der: [UInt8]) -> [UInt8] {
        let algorithm = DER.sequence([
            DER.objectIdentifier("1.2.840.113549.1.1.1") ?? [], DER.null,
        ])
        return DER.sequence([algorithm, DER.value(tag: 0x03, [0] + der)])
    }
}

extension PKIError {
    /// The same, or that things lie too deep in one another where that is OpenSSL's reason.
    ///
    /// It gives one reason a level and remembers sixteen, so of a very deep file the innermost one,
    /// which says so, is forgotten, and only those of the levels around it are left.
    var namingDepth: PKIError {
        let reasons = (cause as? OpenSSLReasons)?.reasons ?? []
        let isDeep =
            reasons.contains("nested too deep")
            || reasons.contains("nested asn1 error")
                && reasons.allSatisfy { ["nested asn1 error", "decode error"].contains($0) }
        return isDeep ? .nestedTooDeeply(limit: ForeignReader.nestingLimit) : self
    }
}
