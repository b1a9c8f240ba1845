/// The files that alerts need can be read: a channel whose password cannot be read tells nobody.
enum AlertsCheck {
    static let check = Check("alerts") { patient in
        var findings = Findings("alerts")
        for fault in patient.alerts {
            findings.add(fault.isElsewhere ? .ok : .critical, fault.setting, fault.error)
        }
        return findings.all
    }
}
