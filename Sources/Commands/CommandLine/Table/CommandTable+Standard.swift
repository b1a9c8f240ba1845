extension CommandTable {
    /// The program's own table, in the order of its documents.
    ///
    /// A verb that does not work yet has no place here.
    static let standard = CommandTable(
        groups: [
            VerbGroup(name: "environment", summary: "the gateways that sessions are asked from"),
            VerbGroup(name: "merchant", summary: "Apple merchant identifiers"),
            VerbGroup(name: "domain", summary: "the shops' domains"),
            VerbGroup(name: "certificate", summary: "keys and their certificates"),
            VerbGroup(name: "trust", summary: "the roots that certificates are verified to"),
            VerbGroup(name: "unlocker", summary: "the secrets that open the home"),
            VerbGroup(name: "master-key", summary: "the vault key, under which every key is kept"),
            VerbGroup(name: "audit", summary: "the record of who did what"),
            VerbGroup(name: "api-token", summary: "who may ask over HTTP"),
            VerbGroup(name: "alert", summary: "what the watch has raised"),
            VerbGroup(name: "config", summary: "settings"),
        ],
        verbs: [
            InitCommand.verb,
            EnvironmentAddCommand.verb, EnvironmentListCommand.verb, EnvironmentSetCommand.verb,
            EnvironmentRemoveCommand.verb,
            MerchantAddCommand.verb, MerchantSetCommand.verb, MerchantListCommand.verb,
            MerchantShowCommand.verb,
            MerchantRetireCommand.verb,
            DomainAddCommand.verb, DomainListCommand.verb, DomainCheckCommand.verb,
            DomainRemoveCommand.verb,
            CertificateRequestCommand.verb, CertificateImportCommand.verb,
            CertificateListCommand.verb, CertificateShowCommand.verb, CertificateExportCommand.verb,
            CertificateRehearseCommand.verb, CertificateActivateCommand.verb,
            CertificateActivatedCommand.verb,
            CertificateRetireCommand.verb, CertificateAbandonCommand.verb,
            CertificateRevokeCommand.verb, CertificateDestroyCommand.verb,
            TrustAddCommand.verb, TrustListCommand.verb, TrustFetchCommand.verb,
            RotateCommand.verb, RenewCommand.verb, InspectCommand.verb, CheckCommand.verb,
            ExplainCommand.verb, DoctorCommand.verb, SessionCommand.verb,
            WatchCommand.verb, AlertListCommand.verb, AlertAcknowledgeCommand.verb,
            APITokenCreateCommand.verb, APITokenListCommand.verb, APITokenRevokeCommand.verb,
            UnlockerListCommand.verb, UnlockerAddCommand.verb, UnlockerRemoveCommand.verb,
            MasterKeyRotateCommand.verb,
            AuditListCommand.verb, AuditVerifyCommand.verb,
            BackupCommand.verb, RestoreCommand.verb, RebuildCommand.verb,
            ConfigShowCommand.verb, ServeCommand.verb,
            VersionCommand.verb, HelpCommand.verb, CompletionsCommand.verb, ManCommand.verb,
            CompleteCommand.verb,
        ])
}
