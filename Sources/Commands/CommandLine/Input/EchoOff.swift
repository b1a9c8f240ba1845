import Glibc

/// A terminal that does not echo, until ``restore()`` or a signal that ends the process.
///
/// One at a time in a process: the signal handler knows of one terminal only.
struct EchoOff {
    private let terminal: Int32
    private let before: termios
    private let handlers: [(signal: Int32, action: sigaction)]

    /// Turns echo and suspension off; nil when the terminal refuses, with `errno` set.
    init?(_ terminal: Int32) {
        var state = termios()
        guard tcgetattr(terminal, &state) == 0 else { return nil }
        self.terminal = terminal
        before = state
        // In place before the echo goes off, so that there is no gap.
        stateToRestore.initialize(to: state)
        terminalToRestore = terminal
        handlers = installHandlers()

        state.c_lflag &= ~tcflag_t(ECHO | ECHOE | ECHOK | ECHONL)
        state.c_lflag |= tcflag_t(ICANON | ISIG)
        // Suspended here, the shell would be left without an echo.
        withUnsafeMutableBytes(of: &state.c_cc) { $0[Int(VSUSP)] = 0 }
        // What was typed ahead was echoed, so it is thrown away.
        guard tcsetattr(terminal, TCSAFLUSH, &state) == 0 else {
            let failure = errno
            restore()
            errno = failure
            return nil
        }
    }

    /// Puts the terminal and the signal handlers back as they were.
    func restore() {
        var state = before
        tcsetattr(terminal, TCSAFLUSH, &state)
        for (signal, action) in handlers {
            var action = action
            sigaction(signal, &action, nil)
        }
    }
}

// What the handler puts back. It is written before the handler is installed and not while it is.
// On the heap: as a global with an initial value, Swift 6.3 lays termios out without its padding
// and writes past the end (AddressSanitizer).
nonisolated(unsafe) private let stateToRestore = UnsafeMutablePointer<termios>.allocate(capacity: 1)
nonisolated(unsafe) private var terminalToRestore: Int32 = -1

private func installHandlers() -> [(signal: Int32, action: sigaction)] {
    var installed: [(Int32, sigaction)] = []
    for signal in [SIGHUP, SIGINT, SIGQUIT, SIGTERM] {
        var before = sigaction()
        guard sigaction(signal, nil, &before) == 0 else { continue }
        // One that is ignored (nohup) stays ignored.
        let isIgnored = unsafeBitCast(before.__sigaction_handler.sa_handler, to: Int.self) == 1
        guard !isIgnored else { continue }
        var action = sigaction()
        action.__sigaction_handler.sa_handler = restoreTerminalAndDie
        sigaction(signal, &action, nil)
        installed.append((signal, before))
    }
    return installed
}

/// Puts the terminal back and lets the signal do what it does by default.
///
/// Only what signal-safety(7) allows: tcsetattr, signal, raise. A top-level function, because a
/// closure could inherit an actor's isolation and trap on this thread.
private func restoreTerminalAndDie(_ number: Int32) {
    tcsetattr(terminalToRestore, TCSAFLUSH, stateToRestore)
    signal(number, SIG_DFL)
    raise(number)
}
