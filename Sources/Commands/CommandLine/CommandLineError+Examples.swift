extension CommandLineError {
    /// One of every case, with texts as long as they get.
    static var examples: [CommandLineError] {
        let usage = "purser certificate export ID --out FILE"
        return [
            .unknownCommand("certificate reqest", didYouMean: "purser certificate request"),
            .unknownCommand("fly", didYouMean: nil),
            .incompleteCommand("purser certificate"),
            .unknownFlag("--hme", command: "purser certificate list", use: "--home"),
            .unknownFlag("--quickly", command: "purser certificate activated", use: nil),
            .misplacedFlag("--out", use: "purser certificate export ... --out FILE"),
            .secretOnCommandLine("--password", use: "name it with --password-file FILE"),
            .missingArguments(["MERCHANT", "DOMAIN"], usage: usage),
            .extraArgument("second", usage: usage),
            .swappedArguments(
                "MERCHANT", text: "shop.example.com", with: "DOMAIN",
                usage: "purser domain add MERCHANT DOMAIN"),
            .missingFlag("--out FILE", usage: usage),
            .missingValue("--out", value: "FILE"),
            .valueNotTaken("--json"),
            .flagAsValue("--master-key-file", value: "--json"),
            .emptyValue("--name"),
            .emptyPassword,
            .conflictingValues("--home"), .conflictingFlags("--pick", "--all"),
            .uselessFlag("--password-file", because: "the profile certificate holds no key"),
            .notOneOf(
                "KIND", text: "identity",
                allowed: "merchant-identity, payment-processing, payment-processing-rsa"),
            .notANumber("--limit", text: "many", range: "1 to 100000"),
            .notATime("--since", text: "yesterday"), .badNote("--note TEXT"),
            .noStandardInput("--out"),
            .notUTF8(position: 3),
            .inputUnreadable("shop.cer", reason: "it is a folder"),
            .inputTooLarge("shop.cer", limit: 1_048_576),
            .outputNotWritten("standard output", reason: "No space left on device"),
            .reportNotWritten("standard output", reason: "No space left on device"),
            .recoveryKeyNotShown(because: "standard output: it is closed", left: nil),
            .recoveryKeyNotShown(because: "standard output: full", left: "0123456789abcdef"),
            .noTerminal("the export's password", use: "name a file with --password-file FILE"),
            .promptAbandoned("the passphrase"),
            .promptMismatch("the passphrase"),
            .notConfirmed("7f3a9c01be42"),
        ]
    }
}
