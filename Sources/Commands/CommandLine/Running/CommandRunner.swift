import Problems

/// Runs one command line from parsing to exit status; every way out passes here.
struct CommandRunner: Sendable {
    let context: Context
    let table: CommandTable

    /// Parses, runs the verb, reports what went wrong, and gives the exit status.
    func run() async -> CommandStatus {
        let line = ArgumentParser(table: table).parse(context.arguments)
        do {
            try await perform(line)
            return .success
        } catch let status as CommandStatus {
            return status
        } catch {
            if !line.wantsJSON, let text = line.verb?.failureLine {
                try? context.output.write(Array("\(text)\n".utf8))
            }
            let general = FailureReport(error, context: context).print(asJSON: line.wantsJSON)
            return line.verb?.failureStatus ?? general
        }
    }

    private func perform(_ line: ParsedCommandLine) async throws {
        // Somebody who asks for help gets it, whatever else is wrong with the line, unless there
        // is no such command.
        if line.fault.map(\.isAboutTheCommand) != true {
            if line.wantsHelp {
                return try invocation(of: HelpCommand.verb, line)
                    .print(HelpReport(table: table, path: line.path))
            }
            if line.wantsVersion {
                return try await VersionCommand.verb.run(
                    invocation(of: VersionCommand.verb, line))
            }
        }
        if let fault = line.fault {
            if line.isIncomplete && !line.wantsJSON {
                let page = HelpReport(table: table, path: line.path)
                    .text(width: context.terminal.proseWidth)
                try context.errors.write(Array((page + "\n").utf8))
            }
            throw fault
        }
        guard let verb = line.verb else { return }
        do {
            try await verb.run(invocation(of: verb, line))
        } catch CommandLineError.outputNotWritten(let what, let reason) where verb.isAct {
            throw CommandLineError.reportNotWritten(what, reason: reason)
        }
    }

    private func invocation(of verb: Verb, _ line: ParsedCommandLine) -> Invocation {
        Invocation(verb: verb, values: line.values, context: context, table: table)
    }
}

extension CommandLineError {
    /// Whether the fault is that there is no such command.
    fileprivate var isAboutTheCommand: Bool {
        if case .unknownCommand = self { return true }
        return false
    }
}
