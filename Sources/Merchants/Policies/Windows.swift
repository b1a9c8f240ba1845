package import Clocks

/// How long before an expiry it begins to matter; whole days left, floored from seconds.
package struct Windows: Sendable, Hashable {
    /// Days left, or fewer, at which a rotation begins (60 by default).
    package var dueDays: Int64
    /// Days left, or fewer, that make a warning (30 by default, as Apple mails).
    package var warningDays: Int64
    /// Days left, or fewer, that are critical (7 by default).
    package var criticalDays: Int64

    package init(dueDays: Int64 = 60, warningDays: Int64 = 30, criticalDays: Int64 = 7) {
        self.dueDays = dueDays
        self.warningDays = warningDays
        self.criticalDays = criticalDays
    }

    /// Judges a certificate that ends at `notAfter`; an expired one is critical.
    package func urgency(of notAfter: Timestamp, at now: Timestamp) -> Urgency {
        let left = notAfter.days(since: now)
        if left <= criticalDays { return .critical }
        return left <= warningDays ? .warning : .fine
    }

    /// Whether the successor of a certificate that ends at `notAfter` should be on its way.
    package func isDue(_ notAfter: Timestamp, at now: Timestamp) -> Bool {
        notAfter.days(since: now) <= dueDays
    }

    /// From when on ``isDue(_:at:)`` is true.
    package func dueDate(of notAfter: Timestamp) -> Timestamp {
        notAfter.adding(days: -dueDays).adding(seconds: -(Timestamp.secondsPerDay - 1))
    }
}

/// The windows of a home: one rule for all, and exceptions for kinds, merchants, or a merchant's kind.
package struct WindowTable: Sendable, Hashable {
    package var standard: Windows
    package var exceptions: [WindowException]

    package init(standard: Windows = Windows(), exceptions: [WindowException] = []) {
        self.standard = standard
        self.exceptions = exceptions
    }

    /// The windows for a merchant's kind.
    ///
    /// What names both beats what names the merchant, and that
    /// beats what names the kind; each day count by itself.
    package func windows(for merchant: MerchantIdentifier, _ kind: CredentialKind) -> Windows {
        exceptions.isEmpty ? standard : windows(of: merchant, kind)
    }

    /// Whether every combination has critical ≤ warning ≤ due.
    package var isOrdered: Bool {
        let merchants: [MerchantIdentifier?] = [nil] + exceptions.map(\.merchant)
        return merchants.allSatisfy { merchant in
            CredentialKind.allCases.allSatisfy { kind in
                let windows = windows(of: merchant, kind)
                return windows.criticalDays <= windows.warningDays
                    && windows.warningDays <= windows.dueDays
            }
        }
    }

    /// Nil stands for a merchant that no exception names.
    private func windows(of merchant: MerchantIdentifier?, _ kind: CredentialKind) -> Windows {
        var windows = standard
        for exception in exceptions.sorted(by: { $0.weight < $1.weight })
        where exception.concerns(merchant, kind) {
            windows.dueDays = exception.dueDays ?? windows.dueDays
            windows.warningDays = exception.warningDays ?? windows.warningDays
            windows.criticalDays = exception.criticalDays ?? windows.criticalDays
        }
        return windows
    }
}

/// Other windows for some; at least a merchant or a kind is named, and at least one day count.
package struct WindowException: Sendable, Hashable, CustomStringConvertible {
    package let merchant: MerchantIdentifier?
    package let kind: CredentialKind?
    package let dueDays: Int64?
    package let warningDays: Int64?
    package let criticalDays: Int64?

    /// Reads `[MERCHANT] [KIND] [due=N] [warning=N] [critical=N]`; nil for anything else.
    ///
    /// Words are separated by blanks, days are from 1 to 365.
    package init?(_ text: String) {
        var merchant: MerchantIdentifier?
        var kind: CredentialKind?
        var days: [String: Int64] = [:]
        for word in text.split(separator: " ").map(String.init) {
            let halves = word.split(separator: "=", omittingEmptySubsequences: false)
            if halves.count == 2, let name = halves.first.map(String.init),
                ["due", "warning", "critical"].contains(name), days[name] == nil,
                let digits = halves.last,
                // Int64 would take a sign too.
                digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
                let number = Int64(digits), (1...365).contains(number)
            {
                days[name] = number
            } else if kind == nil, let named = CredentialKind(rawValue: word) {
                kind = named
            } else if merchant == nil, let named = try? MerchantIdentifier(word) {
                merchant = named
            } else {
                return nil
            }
        }
        guard merchant != nil || kind != nil, !days.isEmpty else { return nil }
        self.merchant = merchant
        self.kind = kind
        dueDays = days["due"]
        warningDays = days["warning"]
        criticalDays = days["critical"]
    }

    package var description: String {
        let days = [("due", dueDays), ("warning", warningDays), ("critical", criticalDays)]
            .compactMap { name, count in count.map { "\(name)=\($0)" } }
        return ([merchant?.text, kind?.rawValue].compactMap(\.self) + days).joined(separator: " ")
    }

    fileprivate var weight: Int { (merchant == nil ? 0 : 2) + (kind == nil ? 0 : 1) }

    fileprivate func concerns(_ one: MerchantIdentifier?, _ other: CredentialKind) -> Bool {
        (merchant == nil || merchant == one) && (kind ?? other) == other
    }
}
