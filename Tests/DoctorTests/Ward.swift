import Clocks
import Database
import Doctor
import Files
import Issuance
import Ledger
import Merchants
import PKI
import Registry
import Secrets
import TestSupport
import Testing
import Vault

import struct Doctor.Symptom

/// A sound home with an identity, a requested processing key and a provider's CSR, to be made ill.
struct Ward {
    let folder = TemporaryFolder()
    let clock = ManualClock(Timestamp(seconds: 1_800_000_000))
    let pki: TestPKI
    let home: OpenHome
    let vault: Vault
    let secret = UnlockSecret.keyFile(.random(count: 32))
    let merchant: MerchantIdentifier
    let identity: Credential
    let processing: Credential
    let certificate: Certificate

    var layout: HomeLayout { home.layout }

    init(gateway: String = "https://localhost:1", gatewayCA: String? = nil) async throws {
        pki = try TestPKI(now: clock.now)
        merchant = try MerchantIdentifier("merchant.com.example.shop")
        home = try await OpenHome.found(
            HomeLayout(path: folder.file("home")), secret: secret, clock: clock,
            actor: .user(name: "tester", uid: 1_000, login: 1_000))
        vault = try Vault.open(home.layout, secret: secret)
        let lab = try EnvironmentName("lab")
        let anchors = [pki.identityRoot, pki.processingRoot].map(\.certificate) + pki.intermediates
        try await home.addEnvironment(
            GatewayEnvironment(
                name: lab, realm: try RealmName("lab"), gateway: try GatewayAddress(gateway),
                gatewayCA: nil, proxy: nil, isBuiltIn: false),
            gatewayCA: gatewayCA.map { Array($0.utf8) },
            roots: anchors.map { Array($0.pem.utf8) })
        try await home.addMerchant(merchant, environments: [lab], change: MerchantChange())
        let made = try await home.request(.merchantIdentity, for: merchant, vault: vault)
        certificate = try pki.identity(
            merchant: merchant.text, key: made.csr.publicKey, from: clock.now)
        let file = try ImportFile(ImportOrder(file: SecretBytes(copying: certificate.der)))
        let imported = try await home.importCertificates(file, for: merchant, vault: vault)
        identity = try #require(imported.first?.credential)
        processing = try await home.request(.paymentProcessing, for: merchant, vault: vault)
            .credential
        // Nothing of it is in a log any more, so that the tests can change the file.
        await home.database.close()
    }

    func slot(_ credential: Credential) -> KeySlot {
        KeySlot(credential)
    }

    /// Runs SQL as an intruder would; nothing that guards the schema is in the way.
    func sqlite(_ sql: String) throws {
        let result = try ForeignProcess.run("sqlite3", [layout.database, sql])
        try #require(result.status == 0 && result.errorText == "", "\(result.errorText)")
    }

    func shell(_ command: String) throws {
        let result = try ForeignProcess.run("sh", ["-c", "cd '\(layout.path)' && \(command)"])
        try #require(result.status == 0, "\(result.errorText)")
    }

    /// A machine about which there is nothing to say.
    static let soundMachine = MachineFacts(
        clockIsSynchronised: true, coreLimit: 0, corePattern: "core", undumpableAreDumped: false,
        swaps: [], space: FileSystemSpace(freeBytes: 1 << 40, freeInodes: nil))

    func examine(
        withKey: Bool = true, machine: MachineFacts = soundMachine, withNetwork: Bool = false,
        problems: [any Error] = [], alertReach: Patient.AlertReach = .everything
    ) async -> Examination {
        var records: Patient.Access<OpenHome>
        do {
            records = .open(
                try await OpenHome.openForExamination(layout, clock: clock, actor: home.actor))
        } catch { records = .failed(error) }
        var keys = Patient.Access<Vault>.closed(because: "no master key was given")
        if withKey {
            do { keys = .open(try Vault.open(layout, secret: secret)) } catch {
                keys = .failed(error)
            }
        }
        let examination = await Doctor.examine(
            Patient(
                layout: layout, clock: clock, records: records, keys: keys,
                settings: (layout.settings, problems), alertReach: alertReach, machine: machine,
                withNetwork: withNetwork))
        if case .open(let home) = records { await home.database.close() }
        return examination
    }

    /// The one finding of `check`; no other check finds anything but notes.
    func only(
        _ check: String, _ severity: Symptom.Severity, withKey: Bool = true,
        machine: MachineFacts = soundMachine, and others: Set<String> = []
    ) async throws -> Symptom {
        let examination = await examine(withKey: withKey, machine: machine)
        let found = examination.findings.filter { $0.check == check }
        let rest = examination.findings.filter { $0.check != check && !others.contains($0.check) }
        #expect(rest.isEmpty, "\(rest)")
        let finding = try #require(found.first, "\(examination.findings)")
        #expect(found.count == 1 && finding.severity == severity, "\(found)")
        #expect(!finding.remedy.isEmpty && !finding.summary.contains("\n"))
        return finding
    }
}
