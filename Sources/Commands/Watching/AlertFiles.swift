import Files
import Problems
import Secrets
import Settings
import Transfers
import Vault
import Watch

/// The files that settings of alerts name, each by its setting.
///
/// A value `credential:NAME` stands for the file NAME that systemd hands to the unit
/// (`LoadCredential=`), for which the unit's user needs no right to the original.
struct AlertFiles: Sendable {
    enum Name: String, Sendable, CaseIterable {
        case mailPassword = "alerts.mail.passwordFile"
        case mailCA = "alerts.mail.caFile"
        case webhookSecret = "alerts.webhook.secretFile"
        case webhookCA = "alerts.webhook.caFile"
        case heartbeatCA = "alerts.heartbeat.caFile"

        var isSecret: Bool { self == .mailPassword || self == .webhookSecret }
    }

    private let settings: Settings.Alerts
    private let invocation: Invocation

    init(_ settings: Settings.Alerts, _ invocation: Invocation) {
        self.settings = settings
        self.invocation = invocation
    }

    /// What the setting says; nil where it is not set.
    func value(_ name: Name) -> String? {
        switch name {
        case .mailPassword: settings.mail.passwordFile
        case .mailCA: settings.mail.caFile
        case .webhookSecret: settings.webhook.secretFile
        case .webhookCA: settings.webhook.caFile
        case .heartbeatCA: settings.heartbeat.caFile
        }
    }

    /// The secret in a file, which must be closed to others or be a systemd credential, without one
    /// line end; nil where the setting is not set.
    ///
    /// - Throws: ``WatchError``.
    func secret(_ name: Name) async throws(WatchError) -> SecretBytes? {
        guard let path = try path(name) else { return nil }
        let isExempt = invocation.isCredential(path)
        let read = await outcome {
            try InputFile.readSecret(path, limit: 4_096, exempt: isExempt)
        }
        let secret = strippingLineEnd(try take(read, name))
        guard secret.count > 0 else { throw .secretEmpty(setting: name.rawValue) }
        return secret
    }

    /// Whom to believe: the roots in a file, or the machine's.
    ///
    /// - Throws: ``WatchError``.
    func trust(_ name: Name) async throws(WatchError) -> ServerTrust {
        guard let path = try path(name) else { return .systemBundle }
        return .bundle(
            pem: try take(await outcome { try InputFile.read(path, limit: 1 << 20) }, name))
    }

    /// What cannot be read of all that the settings name.
    func faults() async -> [(Name, WatchError)] {
        var faults: [(Name, WatchError)] = []
        for name in Name.allCases where value(name) != nil {
            do {
                if name.isSecret { _ = try await secret(name) } else { _ = try await trust(name) }
            } catch {
                faults.append((name, error))
            }
        }
        return faults
    }

    /// How a receiver at `url` is reached; `http://` is for this machine alone, says the setting's
    /// rule.
    ///
    /// - Throws: ``WatchError``.
    func pool(for url: String, _ name: Name) async throws(WatchError) -> PoolConfiguration {
        var configuration = PoolConfiguration(identity: nil, trust: try await trust(name))
        configuration.maximumConnections = 2
        configuration.allowsPlainHTTP = url.hasPrefix("http://")
        return configuration
    }

    private func path(_ name: Name) throws(WatchError) -> String? {
        guard let value = value(name) else { return nil }
        guard let credential = Settings.Alerts.credential(in: value) else {
            return invocation.context.absolute(value)
        }
        guard let folder = invocation.credentialsFolder else {
            throw .credentialMissing(setting: name.rawValue, name: credential)
        }
        return "\(folder)/\(credential)"
    }

    private func outcome<Contents: Sendable>(
        _ read: @escaping @Sendable () throws -> Contents
    ) async -> Result<Contents, any Error> {
        do {
            return .success(try await onOwnThread { try read() })
        } catch {
            return .failure(error)
        }
    }

    private func take<Contents>(
        _ outcome: Result<Contents, any Error>, _ name: Name
    ) throws(WatchError) -> Contents {
        switch outcome {
        case .success(let contents): return contents
        case .failure(let error as FileError):
            let isCredential = value(name).flatMap(Settings.Alerts.credential(in:))
            if let isCredential, case .notFound = error {
                throw .credentialMissing(setting: name.rawValue, name: isCredential)
            }
            throw .fileUnreadable(setting: name.rawValue, error)
        case .failure: throw .fileUnreadable(setting: name.rawValue, .notFound(value(name) ?? ""))
        }
    }
}
