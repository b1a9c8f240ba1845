extension CertificateTemplate {
    /// All extensions in the order in which they are written.
    func extensions(issuer: PublicKey) throws(PKIError) -> [Certificate.Extension] {
        var all: [Certificate.Extension] = [
            .init(oid: OID.basicConstraints, isCritical: true, value: basicConstraints)
        ]
        if hasKeyIdentifiers {
            all.append(
                .init(
                    oid: OID.authorityKeyIdentifier,
                    value: DER.sequence([DER.value(tag: 0x80, issuer.keyIdentifier)])))
        }
        let access = try informationAccess
        if !access.isEmpty {
            all.append(.init(oid: OID.authorityInformationAccess, value: DER.sequence(access)))
        }
        if !extendedKeyUsage.isEmpty {
            var usages: [[UInt8]] = []
            for usage in extendedKeyUsage {
                usages.append(try identifier(usage))
            }
            all.append(
                .init(oid: OID.extendedKeyUsage, value: DER.sequence(usages)))
        }
        if !subjectAlternativeNames.isEmpty {
            let names = subjectAlternativeNames.map { name in
                switch name {
                case .dns(let host): DER.value(tag: 0x82, Array(host.utf8))
                case .address(let bytes): DER.value(tag: 0x87, bytes)
                }
            }
            all.append(.init(oid: OID.subjectAlternativeName, value: DER.sequence(names)))
        }
        if let crlURL {
            // DistributionPoint { distributionPoint [0] { fullName [0] { URI [6] } } }
            let uri = DER.value(tag: 0x86, Array(crlURL.utf8))
            let point = DER.value(tag: 0xA0, DER.value(tag: 0xA0, uri))
            all.append(
                .init(
                    oid: OID.crlDistributionPoints, value: DER.sequence([DER.sequence([point])])))
        }
        if hasKeyIdentifiers {
            all.append(
                .init(
                    oid: OID.subjectKeyIdentifier, value: DER.octetString(publicKey.keyIdentifier)))
        }
        if !keyUsage.isEmpty {
            all.append(
                .init(
                    oid: OID.keyUsage, isCritical: true,
                    value: DER.bitString(keyUsage.map(\.rawValue))))
        }
        return all + extraExtensions
    }

    /// AccessDescription { accessMethod, uniformResourceIdentifier [6] } for each address.
    private var informationAccess: [[UInt8]] {
        get throws(PKIError) {
            var all: [[UInt8]] = []
            for (method, url) in [(OID.ocspAccess, ocspURL), (OID.issuersAccess, issuersURL)] {
                guard let url else { continue }
                all.append(
                    DER.sequence([
                        try identifier(method), DER.value(tag: 0x86, Array(url.utf8)),
                    ]))
            }
            return all
        }
    }

    private var basicConstraints: [UInt8] {
        guard isCA else { return DER.sequence([]) }
        let length = pathLength.map { [DER.integer(UInt64(max(0, $0)))] } ?? []
        return DER.sequence([DER.boolean(true)] + length)
    }

    private func identifier(_ dotted: String) throws(PKIError) -> [UInt8] {
        guard let der = DER.objectIdentifier(dotted) else {
            throw .malformedTemplate("an object identifier is none")
        }
        return der
    }
}

extension PublicKey {
    /// What stands in key identifier extensions: the first 20 bytes of the key's SHA-256.
    ///
    /// RFC 5280 §4.2.1.2 leaves the method open; RFC 7093 names one like this.
    package var keyIdentifier: [UInt8] { Array(sha256.prefix(20)) }
}
