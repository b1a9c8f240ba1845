import Dispatch
import Glibc
import Locks
import PKI
import Secrets

/// Runs the command line of this process and gives its exit status.
///
/// Called once, by the program, before anything else: Dispatch opens descriptors of its own at the
/// first suspension.
///
/// The main thread waits here and is not given to Dispatch: a thread that `dispatch_main` has ended
/// keeps root's rights when all others step down to the home's owner (setuid(2) is told to each
/// living thread by glibc).
package func main() -> Int32 {
    // A reader that goes away must not kill us between two writes of one act.
    signal(SIGPIPE, SIG_IGN)
    hardenProcess()
    // Too late once OpenSSL has allocated anything; nothing here has.
    _ = LibraryMemory.wipeWhenFreed()
    keepStandardDescriptorsOccupied()
    let context = Context.live()
    // Asked by scripts and at every start of a shell: no thread is made for it.
    if context.arguments == ["--version"] { return printVersion(in: context) }
    let done = DispatchSemaphore(value: 0)
    let status = Locked<Int32>(70)
    Task.detached {
        let code = await run(in: context)
        status.withLock { $0 = code }
        done.signal()
    }
    done.wait()
    // A terminal that nobody answers may keep one for ever.
    OwnedThread.joinDetached(within: .seconds(1))
    return status.withLock { $0 }
}

private func printVersion(in context: Context) -> Int32 {
    do {
        try context.output.write(Array("\(Program.name) \(Program.version)\n".utf8))
        return 0
    } catch {
        return FailureReport(error, context: context).print(asJSON: false).code
    }
}

/// Runs one command line in a world of its own and gives the exit status; for tests.
package func run(in context: Context) async -> Int32 {
    await CommandRunner(context: context, table: .standard).run().code
}

/// Opens /dev/null in place of standard streams that are closed.
///
/// Otherwise the next file opened, the database perhaps, would get descriptor 1 and be written over
/// by a message. The wrong access mode makes their use fail with EBADF, as if they were closed.
private func keepStandardDescriptorsOccupied() {
    for descriptor in STDIN_FILENO...STDERR_FILENO where fcntl(descriptor, F_GETFD) < 0 {
        // The lowest free descriptor is this one, because those below are open.
        _ = open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY)
    }
}
