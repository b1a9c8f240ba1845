// swift-tools-version: 6.2
import PackageDescription

// The house, bottom to top. Arrows point down only; `make lint` builds with
// --explicit-target-dependency-import-check error, so an import that is not declared here fails.

let everywhere: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .treatAllWarnings(as: .error),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
]

/// Targets that touch C: every pointer use must say `unsafe`.
let wrapping: [SwiftSetting] = everywhere + [.strictMemorySafety()]

func target(
    _ name: String, _ dependencies: [String], wraps: Bool = false, hasReadme: Bool = false
) -> Target {
    .target(
        name: name,
        dependencies: dependencies.map { .init(stringLiteral: $0) },
        exclude: hasReadme ? ["README.md"] : [],
        swiftSettings: wraps ? wrapping : everywhere)
}

func program(_ name: String, _ dependencies: [String]) -> Target {
    .executableTarget(
        name: name,
        dependencies: dependencies.map { .init(stringLiteral: $0) },
        swiftSettings: everywhere)
}

func tests(_ name: String, _ dependencies: [String], exclude: [String] = []) -> Target {
    .testTarget(
        name: name,
        dependencies: dependencies.map { .init(stringLiteral: $0) },
        exclude: exclude,
        swiftSettings: everywhere)
}

func library(_ name: String, _ debianPackage: String) -> Target {
    .systemLibrary(name: name, providers: [.apt([debianPackage])])
}

let package = Package(
    name: "purser",
    products: [
        .executable(name: "purser", targets: ["purser"]),
        .executable(name: "applesim", targets: ["applesim"]),
    ],
    targets: [
        // C, headers and shims only
        library("COpenSSL", "libssl-dev"),
        .systemLibrary(name: "CLinux"),
        library("CSQLite", "libsqlite3-dev"),
        library("CCurl", "libcurl4-openssl-dev"),
        library("CMicroHTTPD", "libmicrohttpd-dev"),

        // ground
        target("Problems", []),
        target("Clocks", ["Problems"]),
        target("Secrets", ["CLinux"], wraps: true),
        target("Locks", ["CLinux"], wraps: true),
        target("Metrics", []),
        target("Networks", []),
        target("EventLoops", ["CLinux", "Locks"], wraps: true),
        target("Files", ["CLinux", "Problems", "Secrets"], wraps: true),
        target("Daemon", ["CLinux", "Problems", "Locks"], wraps: true, hasReadme: true),

        // wrappers
        target("PKI", ["COpenSSL", "Problems", "Secrets", "Clocks"], wraps: true, hasReadme: true),
        target("Database", ["CSQLite", "Problems", "Locks"], wraps: true, hasReadme: true),
        target(
            "Transfers",
            ["CCurl", "CLinux", "Networks", "Problems", "Secrets", "Locks", "EventLoops"],
            wraps: true, hasReadme: true),
        target(
            "WebServer", ["CMicroHTTPD", "CLinux", "Problems", "Locks", "EventLoops"], wraps: true,
            hasReadme: true),
        target(
            "TLSServer", ["COpenSSL", "CLinux", "Problems", "Secrets", "Clocks", "Locks"],
            wraps: true, hasReadme: true),

        // domain: pure, no clock, no input or output
        target("Merchants", ["Networks", "Problems", "Clocks"]),

        // keepers
        target("Vault", ["Files", "Merchants", "PKI", "Problems", "Secrets", "Clocks", "Locks"]),
        target("Ledger", ["Database", "PKI", "Problems", "Clocks"]),
        target("Registry", ["Database", "Ledger", "Merchants", "Networks", "Problems", "Clocks"]),

        // jobs
        target(
            "Sessions",
            [
                "Transfers", "Registry", "Database", "Vault", "Merchants", "PKI", "Files",
                "Problems", "Secrets", "Clocks", "Locks",
            ]),
        target(
            "Issuance",
            [
                "Networks", "Sessions", "Transfers", "Registry", "Ledger", "Database", "Vault",
                "Merchants",
                "PKI", "Files", "Problems", "Secrets", "Clocks",
            ]),

        target(
            "Doctor",
            [
                "Issuance", "Sessions", "Transfers", "Registry", "Ledger", "Database", "Vault",
                "Merchants", "PKI", "Files", "Daemon", "Problems", "Clocks", "Locks",
            ]),

        target(
            "Watch",
            [
                "Issuance", "Sessions", "Transfers", "Registry", "Ledger", "Database", "Vault",
                "Merchants", "Metrics", "PKI", "Files", "Problems", "Secrets", "Clocks", "Locks",
            ]),

        // surfaces
        target(
            "Documents",
            [
                "Issuance", "Sessions", "Registry", "Ledger", "Merchants", "Networks", "PKI",
                "Clocks",
            ]),
        target("Settings", ["WebServer", "Merchants", "Networks", "Problems"]),
        target(
            "API",
            [
                "Documents", "Issuance", "Ledger", "Registry", "Database", "Vault", "WebServer",
                "Sessions", "Merchants", "Metrics", "Networks", "PKI", "Problems", "Secrets",
                "Clocks", "Locks",
            ]),
        target(
            "Commands",
            [
                "API", "Documents", "Metrics", "Networks", "Daemon", "Settings", "Doctor", "Watch",
                "Issuance", "Files",
                "Sessions", "Ledger", "Registry", "Database",
                "Vault", "Merchants", "WebServer", "Transfers", "PKI", "Problems", "Secrets",
                "Clocks", "Locks", "EventLoops",
            ]),
        target(
            "AppleSimulator",
            ["TLSServer", "PKI", "Merchants", "Problems", "Secrets", "Clocks", "Locks"]),

        // programs
        program("purser", ["Commands"]),
        program("applesim", ["AppleSimulator"]),

        // tests
        .target(
            name: "TestSupport",
            dependencies: ["PKI", "Merchants", "Problems", "Secrets", "Clocks", "Locks"],
            path: "Tests/TestSupport", exclude: ["Peers"],
            swiftSettings: everywhere),
        tests(
            "GroundTests", ["TestSupport", "Networks", "Problems", "Secrets", "Locks", "Clocks"]),
        tests("MetricsTests", ["Metrics", "TestSupport"]),
        tests("EventLoopsTests", ["EventLoops", "TestSupport", "Locks"]),
        tests("FilesTests", ["Files", "TestSupport", "Problems", "Secrets"]),
        tests("PKITests", ["PKI", "TestSupport", "Problems", "Secrets", "Clocks"]),
        tests("DatabaseTests", ["Database", "TestSupport", "Problems", "Locks"]),
        tests("DaemonTests", ["Daemon", "TestSupport", "Problems", "Locks"]),
        tests(
            "TransfersTests",
            [
                "Transfers", "EventLoops", "CLinux", "Networks", "TestSupport", "Problems",
                "Secrets", "Locks",
            ],
            exclude: ["Peers"]),
        tests("WebServerTests", ["WebServer", "EventLoops", "TestSupport", "Problems", "Locks"]),
        tests(
            "AppleSimulatorTests",
            [
                "AppleSimulator", "TLSServer", "applesim", "TestSupport", "PKI", "Merchants",
                "Problems", "Secrets", "Clocks", "Locks",
            ]),
        tests("MerchantsTests", ["Merchants", "Networks", "TestSupport", "Problems", "Clocks"]),
        tests(
            "VaultTests",
            [
                "Vault", "Files", "TestSupport", "Merchants", "PKI", "Problems", "Secrets",
                "Clocks",
                "Locks",
            ]),
        tests("LedgerTests", ["Ledger", "TestSupport", "Database", "PKI", "Problems", "Clocks"]),
        tests(
            "RegistryTests",
            [
                "Registry", "Ledger", "TestSupport", "Database", "Merchants", "Problems", "Clocks",
            ]),
        .target(
            name: "SessionSupport",
            dependencies: [
                "AppleSimulator", "Sessions", "Transfers", "Vault", "Files", "Merchants", "PKI",
                "TestSupport", "Secrets", "Clocks",
            ],
            path: "Tests/SessionSupport",
            swiftSettings: everywhere),
        tests(
            "SessionsTests",
            [
                "Sessions", "SessionSupport", "AppleSimulator", "TLSServer", "TestSupport",
                "Transfers", "Registry", "Database", "Vault", "Files", "Merchants", "PKI",
                "Problems", "Secrets", "Clocks", "Locks",
            ]),
        .target(
            name: "HomeSupport",
            dependencies: [
                "Issuance", "Registry", "Ledger", "Database", "Vault", "Merchants", "PKI",
                "TestSupport", "Secrets", "Clocks",
            ],
            path: "Tests/HomeSupport",
            swiftSettings: everywhere),
        tests(
            "APITests",
            [
                "API", "Documents", "HomeSupport", "Issuance", "Ledger", "Registry", "Database",
                "Vault", "PKI", "Metrics", "Networks", "WebServer", "Sessions", "SessionSupport",
                "AppleSimulator", "TestSupport", "Transfers", "Merchants", "Problems", "Secrets",
                "Clocks", "Locks",
            ]),
        tests(
            "IssuanceTests",
            [
                "HomeSupport", "Issuance", "Sessions", "Transfers", "Registry", "Ledger",
                "Database", "Vault",
                "Merchants", "PKI", "Files", "TestSupport", "Problems", "Secrets", "Clocks",
                "Locks",
            ]),
        tests(
            "DoctorTests",
            [
                "Doctor", "Sessions", "AppleSimulator", "TLSServer", "Issuance", "Registry",
                "Ledger",
                "Database", "Vault",
                "Merchants", "PKI", "Files", "TestSupport", "Problems", "Secrets", "Clocks",
            ]),
        tests(
            "WatchTests",
            [
                "Watch", "AppleSimulator", "Sessions", "Transfers", "Issuance", "Registry",
                "Ledger", "Database", "Vault", "Merchants", "PKI", "Files", "TestSupport",
                "Problems", "Secrets", "Clocks", "Locks",
            ]),
        tests("SettingsTests", ["Settings", "WebServer", "TestSupport", "Problems"]),
        tests(
            "CommandsTests",
            [
                "Commands", "API", "Documents", "Metrics", "Settings", "Watch", "Issuance",
                "Sessions", "Ledger",
                "Registry", "Vault", "Database", "Transfers", "WebServer", "PKI", "Daemon", "Files",
                "Merchants", "AppleSimulator", "TLSServer", "SessionSupport", "TestSupport",
                "Problems",
                "Secrets", "Clocks", "Locks",
            ],
            exclude: ["Peers", "Transcripts"]),
        tests(
            "EndToEndTests",
            [
                "purser", "applesim", "TestSupport", "Vault", "Registry", "Ledger", "Database",
                "Merchants", "PKI", "Files", "Secrets", "Clocks", "Locks",
            ],
            exclude: ["Crashes/Preload", "Hostile/Peers", "Permissions/Peers"]),
    ]
)

// The fuzzers are built on request alone (.ci/fuzz): their driver is the toolchain's libFuzzer.
if Context.environment["PURSER_FUZZ"] != nil {
    package.targets += [
        .systemLibrary(name: "CFuzzer", path: "Tests/Fuzz/CFuzzer"),
        .executableTarget(
            name: "fuzz",
            dependencies: [
                "CFuzzer", "API", "Settings", "Issuance", "Vault", "Merchants", "PKI", "Clocks",
                "Secrets",
            ],
            path: "Tests/Fuzz",
            exclude: ["CFuzzer", "seeds"], swiftSettings: everywhere),
    ]
}
