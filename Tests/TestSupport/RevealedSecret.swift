package import Secrets

extension SecretBytes {
    /// A copy of the bytes, for tests; the product has no such thing.
    package var revealed: [UInt8] {
        withUnsafeBytes { Array($0) }
    }

    /// The bytes as text, for tests.
    package var revealedText: String { String(decoding: revealed, as: UTF8.self) }
}
