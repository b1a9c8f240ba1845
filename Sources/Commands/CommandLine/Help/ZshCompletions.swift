/// The completion script for zsh: a function for each group and an `_arguments` call for each verb.
struct ZshCompletions {
    let table: CommandTable

    var script: String {
        """
        #compdef \(Program.name)
        # zsh completion for \(Program.name); made by: \(Program.name) completions zsh

        # Names that only the home knows; the verb __complete needs no key.
        _\(Program.name)_names() {
            local -a names globals more
            local i
            for ((i = 2; i < ${#purser_words}; i++)); do
                case $purser_words[i] in
                --home=* | --config=*) globals+=("${(Q)purser_words[i]}") ;;
                --home | --config) globals+=("$purser_words[i]=${(Q)purser_words[i+1]}") ;;
                esac
            done
            # A domain is the merchant's that stands before it, and so is an environment to use.
            [[ $argv[-1] == domain || $argv[-1] == usableEnvironment ]] && more=("${(Q)line[1]}")
            names=("${(@f)$("${(Q)purser_words[1]}" "${globals[@]}" __complete $argv[-1] \\
                "${more[@]}" 2>/dev/null)}")
            # _arguments puts compadd's options before the kind; empty lines are no names.
            names=(${names:#})
            compadd "${@[1,-2]}" -a names
        }

        _\(Program.name)() {
            local -a purser_words=("${words[@]}")
            local -a globals=(
        \(specifications(GlobalOptions.all, indent: 8))
            )
            _\(Program.name)_group
        }

        \(functions)

        if [[ $funcstack[1] == _\(Program.name) ]]; then
            _\(Program.name) "$@"
        else
            compdef _\(Program.name) \(Program.name)
        fi

        """
    }

    private var functions: String {
        let groups = table.groups.map { function(after: [$0.name]) }
        return ([function(after: [])] + groups).joined(separator: "\n\n")
    }

    /// The function for what follows `path`: first the words, then each word's own arguments.
    private func function(after path: [String]) -> String {
        let words = table.words(after: path)
        let list = words.map {
            shellQuoted(escaped($0.name) + ":" + $0.summary)
        }.joined(separator: "\n            ")
        let cases = words.map { word in
            branch(for: path + [word.name], word: word.name)
        }.joined(separator: "\n")
        return """
            \(functionName(path))() {
                local curcontext=$curcontext state line
                local -A opt_args
                _arguments -C $globals '1:command:->command' '*::argument:->argument'
                case $state in
                command)
                    local -a commands=(
                        \(list)
                    )
                    _describe -t commands command commands
                    ;;
                argument)
                    case $line[1] in
            \(cases)
                    esac
                    ;;
                esac
            }
            """
    }

    private func functionName(_ path: [String]) -> String {
        (["_\(Program.name)_group"] + path).joined(separator: "_")
    }

    private func branch(for path: [String], word: String) -> String {
        guard let verb = table.verb(at: path) else {
            return "        \(word)) \(functionName(path)) ;;"
        }
        if verb.arguments.contains(where: { $0.kind == .command }) {
            return "        \(word)) \(functionName([])) ;;"
        }
        var lines = ["_arguments $globals"]
        if !verb.options.isEmpty { lines.append(specifications(verb.options, indent: 12)) }
        for argument in verb.arguments {
            let position = argument.isRepeated ? "*" : argument.isOptional ? ":" : ""
            let text = "\(position):\(argument.name):\(action(argument.kind))"
            lines.append("            " + shellQuoted(text))
        }
        return "        \(word))\n            "
            + lines.joined(separator: " \\\n") + "\n            ;;"
    }

    private func specifications(_ options: [Option], indent: Int) -> String {
        let isGlobal = options.map(\.name) == GlobalOptions.all.map(\.name)
        return options.map { option in
            let names = "--\(option.name)" + (option.value == nil ? "" : "=")
            let repeated = option.isRepeated ? "*" : ""
            let value = option.value.map { ":\($0):\(action(option.kind))" } ?? ""
            let text = "\(repeated)\(names)[\(bracketed(option.help))]\(value)"
            return String(repeating: " ", count: indent) + shellQuoted(text)
        }.joined(separator: isGlobal ? "\n" : " \\\n")
    }

    private func action(_ kind: ValueKind) -> String {
        if let allowed = kind.allowed { return "(\(allowed.joined(separator: " ")))" }
        switch kind {
        case .file: return "_files"
        case .folder: return "_files -/"
        case .merchant, .credential, .activatable, .recordable, .rehearsable, .exportable,
            .retirable, .abandonable, .revocable, .destroyable, .domain,
            .environment, .usableEnvironment, .unlocker, .alert, .token:
            return "_\(Program.name)_names \(kind)"
        case .text, .values, .kind, .command: return " "
        }
    }

    private func escaped(_ text: String) -> String {
        text.split(separator: ":", omittingEmptySubsequences: false).joined(separator: "\\:")
    }

    private func bracketed(_ text: String) -> String {
        var safe = ""
        for character in text {
            if "[]\\".contains(character) { safe += "\\" }
            safe.append(character)
        }
        return safe
    }
}
