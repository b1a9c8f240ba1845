import Glibc
import TestSupport
import Testing

@testable import Commands

@Suite struct BashCompletionTests {
    private let folder = TemporaryFolder()
    private static let script = BashCompletions(table: .standard).script

    /// What bash offers after `line`; its last word is the one being typed.
    private func offers(
        _ words: [String], before: String = "", function: Bool = true
    ) throws -> [String] {
        let source = folder.write("purser.bash", Array(Self.script.utf8))
        // Instead of the program: shows how it was asked for names.
        let stub = """
            purser() { printf '%s\\n' merchant.com.example.a merchant.com.example.b "asked:$*"; }
            """
        let list = words.map(shellQuoted).joined(separator: " ")
        let result = try ForeignProcess.run(
            "bash",
            [
                "--norc", "-c",
                """
                \(function ? stub : "")
                source \(source)
                cd \(folder.path)
                \(before)
                COMP_WORDS=(\(list)); COMP_CWORD=\(words.count - 1)
                COMPREPLY=(stale)
                _purser
                printf '%s\\n' "${COMPREPLY[@]}"
                """,
            ])
        #expect(result.errorText == "")
        return result.text.split(separator: "\n").map(String.init)
    }

    @Test func `the script is registered and shellcheck has nothing to say`() throws {
        let source = folder.write("purser.bash", Array(Self.script.utf8))
        let registered = try ForeignProcess.run(
            "bash", ["--norc", "-c", "source \(source); complete -p purser"])
        #expect(registered.text == "complete -F _purser purser\n")
        let judged = try ForeignProcess.run("shellcheck", ["-s", "bash", source])
        #expect(judged.status == 0, "\(judged.text)")
    }

    @Test func `every command can be completed word by word`() throws {
        for verb in CommandTable.standard.shown {
            for count in 0..<verb.path.count {
                let before = ["purser"] + verb.path[..<count]
                let word = verb.path[count]
                #expect(try offers(before + [""]).contains(word), "\(verb.command)")
            }
        }
        #expect(try offers(["purser", "cert"]) == ["certificate"])
        #expect(try offers(["purser", "help", "certificate", "rea"]) == [])
        #expect(try offers(["purser", "help", "certificate", "re"]).first == "request")
        #expect(try offers(["purser", "help", "certificate", "reh"]) == ["rehearse"])
        #expect(try !offers(["purser", ""]).contains("__complete"))
    }

    @Test func `every flag of every command is offered`() throws {
        for verb in CommandTable.standard.shown where !verb.options.isEmpty {
            let offered = try offers(["purser"] + verb.path + ["--"])
            let flags = (verb.options + GlobalOptions.all).map { "--\($0.name)" }
            #expect(Set(offered) == Set(flags), "\(verb.command)")
        }
        #expect(try offers(["purser", "--js"]) == ["--json"])
        #expect(try offers(["purser", "audit", "list", "--", "--"]) == [])
    }

    @Test func `closed lists, files and folders are completed`() throws {
        let kinds = ["merchant-identity", "payment-processing", "payment-processing-rsa"]
        let request = ["purser", "certificate", "request", "merchant.com.example.a"]
        #expect(try offers(request + [""]) == kinds)
        #expect(try offers(request + ["pay"]) == Array(kinds.dropFirst()))
        #expect(try offers(request + [kinds[0], ""]) == [])
        #expect(try offers(["purser", "completions", ""]) == ["bash", "zsh"])
        folder.write("shop.cer", [])
        mkdir(folder.file("shop folder"), 0o700)
        let importing = ["purser", "certificate", "import", "m", "shop"]
        #expect(try Set(offers(importing)) == ["shop.cer", "shop folder"])
        #expect(try offers(["purser", "--home", "sh"]) == ["shop folder"])
        #expect(try offers(["purser", "merchant", "add", "--name", ""]) == [])
    }

    @Test func `a value after an equals sign is completed, however readline splits it`() throws {
        let split = ["purser", "certificate", "export", "--profile", "="]
        #expect(try offers(split) == ["modern", "legacy", "pem", "certificate"])
        #expect(try offers(split + ["mo"]) == ["modern"])
        #expect(
            try offers(["purser", "certificate", "export", "--profile=mo"]) == ["--profile=modern"])
        let home = ["purser", "--home", "=", "/srv/p", "certificate", "re"]
        #expect(try offers(home) == ["request", "rehearse", "retire", "revoke"])
    }

    @Test func `names are asked of the home that the line names`() throws {
        let asked = "asked:--home=/srv/p --config=/etc/p.json5 __complete merchant"
        let names = ["merchant.com.example.a", "merchant.com.example.b", asked]
        #expect(
            try offers(
                [
                    "purser", "--home", "/srv/p", "--config=/etc/p.json5", "--json", "merchant",
                    "show", "",
                ]) == names)
        #expect(
            try offers(["purser", "audit", "list", "--merchant", "merchant.com.example.b"])
                == ["merchant.com.example.b"])
        #expect(
            try offers(["purser", "--home", "~/p", "certificate", "show", "a"], before: "HOME=/h")
                == ["asked:--home=/h/p __complete credential"])
        // Every sort of name that the table has is asked for.
        #expect(
            try offers(["purser", "unlocker", "remove", "as"]) == ["asked:__complete unlocker"])
        #expect(
            try offers(["purser", "session", "m", "d", "--environment", "as"])
                == ["asked:__complete usableEnvironment m"])
        #expect(
            try offers(["purser", "certificate", "activate", "--environment", "as"])
                == ["asked:__complete usableEnvironment"])
        // A name is data: the shell must not expand it.
        #expect(
            try offers(
                ["purser", "merchant", "show", "$"],
                before: "purser() { echo '$(touch hit)'; }") == ["$(touch hit)"])
        #expect(access(folder.file("hit"), F_OK) != 0)
        // A program that fails or is not there offers nothing.
        #expect(
            try offers(["/nowhere/purser", "merchant", "show", ""], function: false) == [])
    }

    @Test func `what a command cannot take is not asked for`() throws {
        for (words, asked) in [
            (["certificate", "activate"], "activatable"),
            (["certificate", "activated"], "recordable"),
            (["certificate", "rehearse"], "rehearsable"),
            (["certificate", "export"], "exportable"), (["certificate", "show"], "credential"),
            (["certificate", "retire"], "retirable"), (["certificate", "abandon"], "abandonable"),
            (["certificate", "revoke"], "revocable"), (["certificate", "destroy"], "destroyable"),
            (["domain", "remove", "merchant.com.example.a"], "domain merchant.com.example.a"),
            (["session", "merchant.com.example.a"], "domain merchant.com.example.a"),
        ] {
            #expect(
                try offers(["purser"] + words + ["asked"], before: "set -u")
                    == ["asked:__complete \(asked)"])
        }
        #expect(try offers(["purser", "domain", "add", "merchant.com.example.a", ""]) == [])
    }

    @Test func `it works with bash's strict options and an odd field separator`() throws {
        let strict = "set -u; IFS=,"
        #expect(
            try offers(["purser", "certificate", "rehearse", "--env"], before: strict)
                == ["--environment"])
        #expect(try offers(["purser", ""], before: strict).contains("certificate"))
        #expect(
            try offers(["purser", "certificate", "request", "m", "mer"], before: strict)
                == ["merchant-identity"])
    }
}

@Suite struct ZshCompletionTests {
    private static let script = ZshCompletions(table: .standard).script

    @Test func `every command and flag is in the script`() {
        for verb in CommandTable.standard.shown {
            #expect(Self.script.contains("        \(verb.path.last ?? ""))"), "\(verb.command)")
            for option in verb.options { #expect(Self.script.contains("--\(option.name)")) }
        }
        #expect(!Self.script.contains("'__complete"))
    }

    @Test(.enabled("zsh is not installed") { try ForeignProcess.has("zsh") })
    func `zsh reads it`() throws {
        let folder = TemporaryFolder()
        let file = folder.write("_purser", Array(Self.script.utf8))
        let result = try ForeignProcess.run("zsh", ["-n", file])
        #expect(result.status == 0 && result.errorText == "")
    }

    @Test(.enabled("zsh is not installed") { try ForeignProcess.has("zsh") })
    func `zsh completes with it`() throws {
        let folder = TemporaryFolder()
        folder.write("_purser", Array(Self.script.utf8))
        folder.write(
            "purser",
            Array("#!/bin/sh\nprintf '%s\\n' merchant.com.example.a \"$*\" > asked\n".utf8)
                + Array("echo merchant.com.example.a\n".utf8), mode: 0o700)
        chmod(folder.file("purser"), 0o700)
        #expect(try Self.completed("purser cert", in: folder) == "purser certificate ")
        #expect(
            try Self.completed("purser certificate reh", in: folder)
                == "purser certificate rehearse ")
        #expect(
            try Self.completed("purser --json certificate rehearse --env", in: folder)
                == "purser --json certificate rehearse --environment=")
        #expect(
            try Self.completed("purser certificate request m mer", in: folder)
                == "purser certificate request m merchant-identity ")
        #expect(
            try Self.completed("purser help audit ver", in: folder) == "purser help audit verify ")
        #expect(
            try Self.completed("purser --home /srv/p merchant show mer", in: folder)
                == "purser --home /srv/p merchant show merchant.com.example.a ")
        _ = try Self.completed("purser session merchant.com.example.b mer", in: folder)
        #expect(
            String(decoding: folder.read("asked"), as: UTF8.self)
                .contains("__complete domain merchant.com.example.b"))
        _ = try Self.completed("purser --home /srv/p merchant show mer", in: folder)
        let asked = String(decoding: folder.read("asked"), as: UTF8.self)
        #expect(asked.contains("--home=/srv/p __complete merchant"))
    }

    /// The line that zsh makes of `line` when the tabulator is pressed, in a terminal of its own.
    private static func completed(_ line: String, in folder: TemporaryFolder) throws -> String {
        let result = try ForeignProcess.run(
            "zsh",
            [
                "-f", "-c",
                """
                zmodload zsh/zpty
                cd \(folder.path)
                rm -f shown
                print -rn -- \(shellQuoted(line)) >line
                zpty z 'PS1= PATH=\(folder.path):$PATH zsh -f -i'
                zpty -w z 'fpath=(\(folder.path) $fpath); autoload -U compinit; compinit -u -D'
                zpty -w z 'show() { BUFFER=$(<line); CURSOR=$#BUFFER; zle expand-or-complete'
                zpty -w z 'print -r -- "<$BUFFER>" >part; mv part shown; BUFFER= }'
                zpty -w z 'zle -N show; bindkey "^Xs" show; touch ready'
                for i in {1..3000}; do [[ -e ready ]] && break; sleep 0.01; done
                # Sent again until it is taken: zle may not read yet.
                for i in {1..300}; do
                    [[ -s shown ]] && break
                    zpty -n -w z $'\\x18s'
                    sleep 0.1
                done
                cat shown
                rm -f ready
                zpty -d z
                """,
            ])
        return String(result.text.drop { $0 == "<" }.prefix { $0 != ">" })
    }
}

extension ForeignProcess {
    /// Whether a program is on PATH.
    static func has(_ program: String) throws -> Bool {
        try run("sh", ["-c", "command -v \(program)"]).status == 0
    }
}
