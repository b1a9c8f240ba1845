/// One Apple: `apple` itself, or a stand-in defined by the operator with roots of its own.
package struct RealmName: Sendable, Hashable, Comparable, CustomStringConvertible {
    package let text: String

    /// Checks the form: 1–64 lower-case letters, digits and hyphens, beginning with a letter.
    ///
    /// - Throws: ``MerchantsError/badName(_:what:)``.
    package init(_ text: String) throws(MerchantsError) {
        try checkShortName(text, what: "realm")
        self.text = text
    }

    private init(builtIn: String) { text = builtIn }

    /// Apple's own realm, with the four built-in environments.
    package static let apple = RealmName(builtIn: "apple")

    package static func < (one: RealmName, other: RealmName) -> Bool { one.text < other.text }

    package var description: String { text }
}

/// The name of an environment: one gateway of a realm, such as `production` or `lab`.
package struct EnvironmentName: Sendable, Hashable, Comparable, CustomStringConvertible {
    package let text: String

    /// Checks the form: 1–64 lower-case letters, digits and hyphens, beginning with a letter.
    ///
    /// - Throws: ``MerchantsError/badName(_:what:)``.
    package init(_ text: String) throws(MerchantsError) {
        try checkShortName(text, what: "environment")
        self.text = text
    }

    fileprivate init(builtIn: String) { text = builtIn }

    package static let production = EnvironmentName(builtIn: "production")
    package static let productionChina = EnvironmentName(builtIn: "production-cn")
    package static let sandbox = EnvironmentName(builtIn: "sandbox")
    package static let sandboxChina = EnvironmentName(builtIn: "sandbox-cn")

    package static func < (one: EnvironmentName, other: EnvironmentName) -> Bool {
        one.text < other.text
    }

    package var description: String { text }
}

private func checkShortName(_ text: String, what: String) throws(MerchantsError) {
    let isLetter: (UInt8) -> Bool = { $0 >= UInt8(ascii: "a") && $0 <= UInt8(ascii: "z") }
    let isFine: (UInt8) -> Bool = {
        isLetter($0) || ($0 >= UInt8(ascii: "0") && $0 <= UInt8(ascii: "9"))
            || $0 == UInt8(ascii: "-")
    }
    guard let first = text.utf8.first, isLetter(first), text.utf8.count <= 64,
        text.utf8.allSatisfy(isFine)
    else {
        throw .badName(text, what: what)
    }
}
