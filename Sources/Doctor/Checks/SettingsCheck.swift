/// The settings can be read, and keep their rules.
enum SettingsCheck {
    static let check = Check("settings") { patient in
        var findings = Findings("settings")
        for problem in patient.settings.problems {
            findings.add(.critical, patient.settings.path, problem)
        }
        return findings.all
    }
}
