package import Secrets

/// Reads keys, certificates, requests and public keys out of whatever people have.
///
/// Content decides, never a file's name: PEM however it was mangled on the way, DER, BER where
/// OpenSSL takes it, PKCS#7, PKCS#12, and keys in all their forms, encrypted or not. Everything is
/// bounded before it is worked on: size, nesting, the number of things, and the derivation work of
/// the whole file together. Blocks its thread for as long as that work takes.
package struct ForeignReader: Sendable {
    /// The most bytes that are read.
    package static let sizeLimit = 1_048_576

    /// How deep one thing may lie in another: text in base64, a bag in a bag.
    package static let nestingLimit = 8

    /// The most things that are taken out of one file.
    package static let itemLimit = 256

    /// The most iterations that are done for one file, all its parts and passwords together.
    package static let iterationLimit = 1_000_000

    private let passwords: [SecretBytes]
    private let iterationLimit: Int

    /// A reader that tries `passwords` in their order; with none, the two empty ones are tried.
    package init(
        passwords: [SecretBytes] = [], iterationLimit: Int = ForeignReader.iterationLimit
    ) {
        self.passwords = passwords
        self.iterationLimit = iterationLimit
    }

    /// Takes out what can be read and says of the rest why not; never fails as a whole.
    package func survey(_ bytes: SecretBytes) -> ForeignContents {
        var walk = ForeignWalk(
            passwords: passwords, budget: IterationBudget(limit: iterationLimit))
        walk.readAll(bytes)
        return walk.finished()
    }

    /// Takes out everything, or nothing.
    ///
    /// - Throws: the first thing that is wrong with any part of it, ``PKIError/nothingFound`` where
    ///   nothing is wrong and nothing there.
    package func read(_ bytes: SecretBytes) throws(PKIError) -> ForeignContents {
        let contents = survey(bytes)
        if let problem = contents.problems.first { throw problem.error }
        return contents
    }
}
