import Metrics

/// What a home's records tell the metrics.
enum HomeMeasures {
    static let readable = Measure(
        .gauge, "purser_database_readable",
        "Whether the records could be read for this scrape; if not, what comes from them is missing"
    )
    static let notBefore = Measure(
        .gauge, "purser_certificate_not_before_seconds", certificate,
        "When a certificate that is issued, active or retiring begins, in seconds since 1970")
    static let notAfter = Measure(
        .gauge, "purser_certificate_not_after_seconds", certificate,
        "When it ends, in seconds since 1970")
    static let renewalDue = Measure(
        .gauge, "purser_certificate_renewal_due_seconds", certificate,
        "When its renewal becomes due, in seconds since 1970")
    static let activeSerial = Measure(
        .gauge, "purser_active_serial_info", ["merchant", "kind", "credential", "serial"],
        "Always 1: the serial number of each active certificate")
    static let credentials = Measure(
        .gauge, "purser_credentials", ["kind", "state"], "Credentials by kind and state")
    static let processingKeys = Measure(
        .gauge, "purser_processing_keys", ["state"],
        "Keys for payment tokens that this home holds, by state")
    static let merchants = Measure(
        .gauge, "purser_merchants", "Merchants in service")
    static let alertsOpen = Measure(
        .gauge, "purser_alerts_open", ["urgency"], "Alerts that are not resolved, by urgency")
    static let alertsSent = Measure(
        .counter, "purser_alerts_sent_total", ["channel"],
        "Alerts and recoveries that a receiver took, by sort of channel, since the home was made")
    static let alertsFailed = Measure(
        .counter, "purser_alerts_failed_total", ["channel"],
        "Tries to send that failed, by sort of channel, since the home was made")
    static let alertsUndelivered = Measure(
        .gauge, "purser_alert_deliveries_failing", ["channel"],
        "Alerts whose last try failed, by sort of channel")
    static let alertsFailingSince = Measure(
        .gauge, "purser_alert_deliveries_failing_since_seconds", ["channel"],
        "Since when the oldest of them fails, in seconds since 1970; missing when none does")
    static let ledgerHead = Measure(
        .gauge, "purser_ledger_head_sequence", "The number of the ledger's last entry")
    static let lastWatch = Measure(
        .gauge, "purser_last_watch_timestamp_seconds",
        "When the watch last ran, in seconds since 1970; missing when it never did")
    static let lastRenew = Measure(
        .gauge, "purser_last_renew_timestamp_seconds",
        "When renew --commit last ran, in seconds since 1970; missing when it never did")
    static let lastHeartbeat = Measure(
        .gauge, "purser_last_heartbeat_timestamp_seconds",
        "When the dead-man's switch was last tried, in seconds since 1970; missing when it never was"
    )
    static let succeeded = Measure(
        .gauge, "purser_last_run_succeeded", ["run"],
        "Whether the last watch, renew or heartbeat ended as it should")
    static let gateways = Measure(
        .gauge, "purser_gateway_healthy", ["environment"],
        "Whether a gateway answered when the watch last looked")
    static let siteFiles = Measure(
        .gauge, "purser_domain_file_served", ["merchant", "domain"],
        "Whether a domain's site served its association file when the watch last looked")
    static let siteNotAfter = Measure(
        .gauge, "purser_domain_certificate_not_after_seconds", ["merchant", "domain"],
        "When the certificate of a domain's site expires, in seconds since 1970")
    static let rolledBack = Measure(
        .gauge, "purser_rolled_back_credentials", ["merchant"],
        "Credentials that wait for a person since they were rolled back; missing when there is none"
    )
    static let rollbacks = Measure(
        .counter, "purser_rollbacks_total", ["merchant"],
        "Rollbacks to an old identity since this service started, whoever made them")

    private static let certificate = ["merchant", "kind", "credential", "state"]

    static let all = [
        readable, notBefore, notAfter, renewalDue, activeSerial, credentials, processingKeys,
        merchants, alertsOpen, alertsSent, alertsFailed, alertsUndelivered, alertsFailingSince,
        ledgerHead, lastWatch, lastRenew, lastHeartbeat, succeeded, gateways, siteFiles,
        siteNotAfter, rolledBack, rollbacks,
    ]
}
