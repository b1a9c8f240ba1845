package import Merchants
package import Problems

/// That sites are not as Apple wants them.
package enum SiteError: Explained, Equatable {
    /// So many of all; what of the first.
    case faulty(count: Int, of: Int, first: DomainName, SiteOutcome)

    package var code: String { "domain.site-faulty" }

    package var summary: String {
        switch self {
        case .faulty(let count, let all, let domain, let outcome):
            (count == 1 ? "" : "\(count) of \(all) sites are not as Apple wants them; ")
                + outcome.summary(of: domain)
        }
    }

    package var remedy: String { "do what stands beside each domain, then: purser domain check" }

    package var nature: Nature {
        switch self {
        case .faulty(_, _, _, .unreachable): .unreachable
        case .faulty: .refused
        }
    }

    package static var examples: [SiteError] {
        guard let domain = try? DomainName("shop.example.com") else { return [] }
        return [.faulty(count: 2, of: 5, first: domain, .redirected)]
    }
}
