package import Clocks
package import Issuance
package import Vault

/// What is to be examined, as far as it could be opened.
package struct Patient: Sendable {
    /// Something that may be at hand or not.
    package enum Access<Thing: Sendable>: Sendable {
        case open(Thing)
        /// Nobody asked for it; the reason in words.
        case closed(because: String)
        /// It should be there, and cannot be used.
        case failed(any Error)
    }

    /// A file that a setting of alerts names, and why it cannot be used.
    package struct AlertFault: Sendable {
        package let setting: String
        package let error: any Error
        /// Whether it may be all right where the watch runs: systemd's credentials are there alone.
        package let isElsewhere: Bool

        package init(setting: String, error: any Error, isElsewhere: Bool) {
            self.setting = setting
            self.error = error
            self.isElsewhere = isElsewhere
        }
    }

    /// Whom the settings let hear of alerts.
    package enum AlertReach: Sendable {
        /// Somebody hears of every alert; or nobody has asked for any.
        case everything
        /// Merchants' owners, by mail, and nobody else.
        case ownersAlone
        /// Only a sign of life is sent.
        case nobody
    }

    package let layout: HomeLayout
    package let clock: any WallClock
    package let records: Access<OpenHome>
    package let keys: Access<Vault>
    /// What is wrong with the settings; the path of their file is for the finding.
    package let settings: (path: String, problems: [any Error])
    /// What keeps alerts from being sent as they are set up, by the setting.
    package let alerts: [AlertFault]
    package let alertReach: AlertReach
    package let machine: MachineFacts
    /// Whether the gateways are looked at.
    package let withNetwork: Bool

    package init(
        layout: HomeLayout, clock: any WallClock, records: Access<OpenHome>, keys: Access<Vault>,
        settings: (path: String, problems: [any Error]), alerts: [AlertFault] = [],
        alertReach: AlertReach = .everything,
        machine: MachineFacts, withNetwork: Bool
    ) {
        self.layout = layout
        self.clock = clock
        self.records = records
        self.keys = keys
        self.settings = settings
        self.alerts = alerts
        self.alertReach = alertReach
        self.machine = machine
        self.withNetwork = withNetwork
    }
}
