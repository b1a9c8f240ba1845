import TLSServer

/// The command line of `applesim`, read strictly.
struct SimulatorArguments {
    /// What is wrong with a command line.
    struct Fault: Error, Equatable {
        let words: String
    }

    var configuration = SimulatorConfiguration()
    /// Where the roots and the addresses are written.
    var directory = ""
    /// Registered from the start.
    var merchants: [(identifier: String, domains: [String])] = []
    var wantsHelp = false

    /// Reads the arguments after the program's name.
    ///
    /// - Throws: ``Fault`` for an unknown or doubled flag, a missing or malformed value, or more.
    init(_ arguments: [String]) throws(Fault) {
        var rest = arguments[...]
        var seen: Set<String> = []
        while let name = rest.popFirst() {
            if name == "--help" {
                wantsHelp = true
                return
            }
            guard let flag = SimulatorFlag.all.first(where: { "--\($0.name)" == name }) else {
                throw Fault(words: "there is no flag \(name)")
            }
            guard seen.insert(name).inserted || flag.isRepeatable else {
                throw Fault(words: "\(name) is given twice")
            }
            var value = ""
            if flag.value != nil {
                guard let next = rest.popFirst() else {
                    throw Fault(words: "\(name) needs a value")
                }
                value = next
            }
            guard flag.set(&self, value) else {
                throw Fault(words: "\(name) takes \(flag.value ?? ""), not \"\(value)\"")
            }
        }
        guard !directory.isEmpty else { throw Fault(words: "--directory is missing") }
    }
}
