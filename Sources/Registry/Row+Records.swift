import Clocks
import Database
import FoundationEssentials
import Merchants

// What our columns hold, read back as the types that they were written from. A value that its type
// refuses was not written by this program: it is reported as damage, not as somebody's bad input.

extension Row {
    func merchant(_ column: String) throws -> MerchantIdentifier {
        try checked(column) { text throws(MerchantsError) in try MerchantIdentifier(text) }
    }

    func domain(_ column: String) throws -> DomainName {
        try checked(column) { text throws(MerchantsError) in try DomainName(text) }
    }

    func realm(_ column: String) throws -> RealmName {
        try checked(column) { text throws(MerchantsError) in try RealmName(text) }
    }

    func environment(_ column: String) throws -> EnvironmentName {
        try checked(column) { text throws(MerchantsError) in try EnvironmentName(text) }
    }

    func gateway(_ column: String) throws -> GatewayAddress {
        try checked(column) { text throws(MerchantsError) in try GatewayAddress(text) }
    }

    func credential(_ column: String) throws -> CredentialIdentifier {
        try checked(column) { text throws(MerchantsError) in try CredentialIdentifier(text) }
    }

    func alert(_ column: String) throws -> AlertIdentifier {
        try checked(column) { text throws(MerchantsError) in try AlertIdentifier(text) }
    }

    func token(_ column: String) throws -> TokenIdentifier {
        try checked(column) { text throws(MerchantsError) in try TokenIdentifier(text) }
    }

    func stage(_ column: String) throws -> AlertStage {
        guard let stage = AlertStage(try text(column)) else {
            throw RegistryError.damaged(column: column, why: nil)
        }
        return stage
    }

    func displayName(_ column: String) throws -> DisplayName? {
        guard try optionalText(column) != nil else { return nil }
        return try checked(column) { text throws(MerchantsError) in try DisplayName(text) }
    }

    func time(_ column: String) throws -> Timestamp {
        try checkedTime(try integer(column), column)
    }

    func optionalTime(_ column: String) throws -> Timestamp? {
        try optionalInteger(column).map { try checkedTime($0, column) }
    }

    /// A moment of the years 0 to 9999, which certificates and RFC 3339 can express.
    private func checkedTime(_ seconds: Int64, _ column: String) throws -> Timestamp {
        guard (-62_167_219_200...253_402_300_799).contains(seconds) else {
            throw RegistryError.damaged(column: column, why: nil)
        }
        return Timestamp(seconds: seconds)
    }

    /// One of an enum's raw values.
    func oneOf<Choice: RawRepresentable<String>>(_ column: String) throws -> Choice {
        guard let choice = Choice(rawValue: try text(column)) else {
            throw RegistryError.damaged(column: column, why: nil)
        }
        return choice
    }

    /// A JSON array of strings.
    func texts(_ column: String) throws -> [String] {
        guard let list = try? JSONDecoder().decode([String].self, from: Data(text(column).utf8))
        else {
            throw RegistryError.damaged(column: column, why: nil)
        }
        return list
    }

    private func checked<Checked>(
        _ column: String, _ read: (String) throws(MerchantsError) -> Checked
    ) throws -> Checked {
        let text = try text(column)
        do throws(MerchantsError) {
            return try read(text)
        } catch {
            throw RegistryError.damaged(column: column, why: error)
        }
    }
}

// MARK: - The other way

extension Value {
    init(_ time: Timestamp?) {
        self.init(time?.seconds)
    }

    /// A JSON array.
    init(list: [String]) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .withoutEscapingSlashes
        self = .text(String(decoding: try encoder.encode(list), as: UTF8.self))
    }
}
