import Glibc
import Locks
import Secrets
import TestSupport
import Testing

@testable import Commands

/// One at a time: a process has one signal handler for the terminal.
@Suite(.serialized) struct TerminalPromptTests {
    /// A pseudo-terminal; what a person sees and types is at its master end.
    final class PseudoTerminal: Sendable {
        let master: Int32
        let path: String

        init() {
            // What posix_openpt(3), unlockpt(3) and ptsname(3) do; Swift does not import them.
            master = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
            var locked: Int32 = 0
            _ = ioctl(master, 0x4004_5431, &locked)  // TIOCSPTLCK
            var number: UInt32 = 0
            _ = ioctl(master, 0x8004_5430, &number)  // TIOCGPTN
            path = "/dev/pts/\(number)"
        }

        deinit { close(master) }

        func type(_ text: String) {
            let bytes = Array(text.utf8)
            _ = write(master, bytes, bytes.count)
        }

        /// What the screen shows until `part` appears.
        func screen(until part: String) -> String {
            var shown = ""
            var bytes = [UInt8](repeating: 0, count: 1024)
            while !shown.contains(part) {
                var wanted = pollfd(fd: master, events: Int16(POLLIN), revents: 0)
                guard poll(&wanted, 1, 10_000) == 1 else { break }
                let count = read(master, &bytes, bytes.count)
                guard count > 0 else { break }
                shown += String(decoding: bytes[..<count], as: UTF8.self)
            }
            return shown
        }

        var echoes: Bool {
            var state = termios()
            tcgetattr(master, &state)
            return state.c_lflag & tcflag_t(ECHO) != 0
        }
    }

    @Test func `a passphrase is typed without being shown`() async throws {
        let terminal = PseudoTerminal()
        let before = terminal.echoes
        let answer = Task {
            try await TerminalPrompt(path: terminal.path).ask("Passphrase: ", for: "it")
        }
        let shown = try await onOwnThread {
            let question = terminal.screen(until: "Passphrase: ")
            #expect(!terminal.echoes)
            terminal.type("correct horse\n")
            return question + terminal.screen(until: "\n")
        }
        #expect(try await answer.value == SecretBytes(copying: "correct horse".utf8))
        #expect(shown == "Passphrase: \r\n")
        #expect(before && terminal.echoes)
    }

    @Test(arguments: ["\n", "\u{4}"])
    func `an empty line or the end of input abandons the question`(typed: String) async throws {
        let terminal = PseudoTerminal()
        let answer = Task {
            try await TerminalPrompt(path: terminal.path).ask("? ", for: "the passphrase")
        }
        _ = try await onOwnThread {
            let question = terminal.screen(until: "? ")
            terminal.type(typed)
            return question
        }
        await #expect(throws: CommandLineError.promptAbandoned("the passphrase")) {
            try await answer.value
        }
        #expect(terminal.echoes)
    }

    @Test func `a word that is no secret is shown while it is typed`() async throws {
        let terminal = PseudoTerminal()
        let answer = Task {
            try await TerminalPrompt(path: terminal.path).askAloud("Sure? ", for: "it")
        }
        let shown = try await onOwnThread {
            let question = terminal.screen(until: "Sure? ")
            terminal.type("7f3a9c01be42\n")
            return question + terminal.screen(until: "\n")
        }
        #expect(try await answer.value == "7f3a9c01be42")
        #expect(shown == "Sure? 7f3a9c01be42\r\n")
    }

    @Test func `only the word itself confirms`() async throws {
        for (answers, error) in [
            (["7f3a9c01be42"], nil),
            (["yes"], CommandLineError.notConfirmed("7f3a9c01be42")),
            ([], CommandLineError.noTerminal("a confirmation", use: "give --yes if it is meant")),
        ] {
            let sink = CapturingSink()
            let context = capturingContext([], output: sink, errors: sink, answers: answers)
            do {
                try await context.confirm("7f3a9c01be42", question: "Sure? ")
                #expect(error == nil)
            } catch let found as CommandLineError {
                #expect(found == error)
            }
        }
    }

    @Test func `where there is no terminal nobody is asked`() async throws {
        #expect(try await TerminalPrompt(path: "/dev/null").ask("? ", for: "it") == nil)
        #expect(try await TerminalPrompt(path: "/nowhere").ask("? ", for: "it") == nil)
    }

    @Test func `a signal restores the echo before it ends the process`() async throws {
        let terminal = PseudoTerminal()
        let path = terminal.path
        await #expect(processExitsWith: .signal(SIGTERM)) { [path = path as String] in
            // The echo is off once the question is asked; nobody answers it.
            OwnedThread(name: "killer") {
                var state = termios()
                let tty = open(path, O_RDWR | O_NOCTTY | O_CLOEXEC)
                repeat {
                    usleep(1_000)
                    tcgetattr(tty, &state)
                } while state.c_lflag & tcflag_t(ECHO) != 0
                kill(getpid(), SIGTERM)
            }.detach()
            _ = try await TerminalPrompt(path: path).ask("? ", for: "it")
        }
        #expect(terminal.echoes)
    }
}
