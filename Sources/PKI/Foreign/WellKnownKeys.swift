/// Keys whose private half is printed in a standard or shipped with a test suite.
///
/// Such a key gets into production by being copied out of an example. Each is named by the SHA-256
/// of its SubjectPublicKeyInfo, and by the place where anybody finds its private half.
package enum WellKnownKeys {
    /// Where the private half of `key` is published; nil for a key that is not known to be.
    package static func source(of key: PublicKey) -> String? {
        sources[Hexadecimal.lowercase(key.sha256)]
    }

    private static let sources = [
        "b2b04340cfaee616ec9c2c62d261b208e54bb197498df52e8cadede23ac0ba5e":
            "RFC 9500 (testECCP256)",
        "55f96361b78cbb84f1fc604b0718e82bd91abb46d8fc25ae871b35fbbf8b7974":
            "RFC 9421 (test-key-ecc-p256)",
        "14e6473c7a44e1facee734a31701fa8c9f74ef647bee0589e577d986fd3bdc1f":
            "OpenSSL's test suite (signer.p12)",
        "554c80b7d49e2eae94ccbd67ae562f26c4309e8a93fe35345504edb87ca2a643":
            "OpenSSL's test suite (shibboleth.pfx)",
        "17a63af41af58058b0189b1fa38a5f09a3041a07ce2b6e36913b0653ff212ce8":
            "OpenSSL's test suite (test-BER.p12)",
        "ed44792e85700ec7b303976284ca016edab5d4aa2e2c86cd0839accad5d1a66b":
            "the test vectors of Python's cryptography (ca_key.pem)",
    ]
}
