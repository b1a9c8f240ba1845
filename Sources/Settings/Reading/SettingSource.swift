/// Where a value was given; an earlier case beats a later one.
package enum SettingSource: Sendable, Equatable {
    /// On the command line, with the flag's name, such as `--listen`.
    case flag(String)
    /// In the environment, with the variable's name.
    case environment(String)
    /// In the settings' file at this path.
    case file(String)
    /// Nowhere.
    case standard

    /// 0 for the strongest.
    var rank: Int {
        switch self {
        case .flag: 0
        case .environment: 1
        case .file: 2
        case .standard: 3
        }
    }
}

extension SettingSource: CustomStringConvertible {
    /// As `config show` prints it: `flag --listen`, `environment PURSER_LISTEN`, `file PATH`, `default`.
    package var description: String {
        switch self {
        case .flag(let name): "flag \(name)"
        case .environment(let name): "environment \(name)"
        case .file(let path): "file \(path)"
        case .standard: "default"
        }
    }
}
