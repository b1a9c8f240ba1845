/// Which home, and which file of settings: the two answers that no file of settings can give.
package struct HomeLocation: Sendable, Equatable {
    /// Purser's folder, as it was given.
    package let home: String
    package let homeSource: SettingSource
    /// The file of settings; it need not exist unless it was named by a flag.
    package let configuration: String
    package let configurationSource: SettingSource

    /// Whether a missing file of settings is an error.
    package var mustExist: Bool { configurationSource.rank == 0 }

    /// `--home`, else `PURSER_HOME`, else `/var/lib/purser`; `--config`, else `purser.json5` in there.
    ///
    /// The working folder is never looked at, and an empty value counts as none.
    package init(flags: [String: [String]], environment: [String: String]) {
        if let flag = flags["home"]?.last, !flag.isEmpty {
            (home, homeSource) = (flag, .flag("--home"))
        } else if let variable = environment["PURSER_HOME"], !variable.isEmpty {
            (home, homeSource) = (variable, .environment("PURSER_HOME"))
        } else {
            (home, homeSource) = ("/var/lib/purser", .standard)
        }
        if let flag = flags["config"]?.last, !flag.isEmpty {
            (configuration, configurationSource) = (flag, .flag("--config"))
        } else {
            let slash = home.hasSuffix("/") ? "" : "/"
            (configuration, configurationSource) = ("\(home)\(slash)purser.json5", .standard)
        }
    }
}
