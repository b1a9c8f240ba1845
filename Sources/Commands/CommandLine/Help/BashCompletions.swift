/// The completion script for bash: the table as a `case`, and one function that walks the words.
///
/// It works with and without the bash-completion package. Names that only the home knows are asked
/// for with the hidden verb `__complete`, which needs no key.
struct BashCompletions {
    let table: CommandTable

    var script: String {
        """
        # bash completion for \(Program.name); made by: \(Program.name) completions bash
        # shellcheck shell=bash

        # What can follow the words in $1: sets commands, arguments and flags, which are the
        # caller's. A flag with a value has the value's kind behind a colon.
        _\(Program.name)_table() {
            commands='' arguments=''
            flags=\(shellQuoted(flags(GlobalOptions.all) + " \(GlobalOptions.shortHelp)"))
            case $1 in
        \(cases)
            esac
        }

        \(Self.engine)
        """
    }

    private var cases: String {
        var lines = [line(for: [], sets: ["commands=" + words(after: [])])]
        for group in table.groups {
            lines.append(line(for: [group.name], sets: ["commands=" + words(after: [group.name])]))
        }
        for verb in table.shown {
            var sets: [String] = []
            if !verb.arguments.isEmpty {
                let kinds = verb.arguments.map { token($0.kind) + ($0.isRepeated ? "*" : "") }
                sets.append("arguments=" + shellQuoted(kinds.joined(separator: " ")))
            }
            if !verb.options.isEmpty {
                sets.append("flags+=" + shellQuoted(" " + flags(verb.options)))
            }
            if !sets.isEmpty { lines.append(line(for: verb.path, sets: sets)) }
        }
        return lines.joined(separator: "\n")
    }

    private func line(for path: [String], sets: [String]) -> String {
        "    \(shellQuoted(path.joined(separator: " ")))) \(sets.joined(separator: " ")) ;;"
    }

    private func words(after path: [String]) -> String {
        shellQuoted(table.words(after: path).map(\.name).joined(separator: " "))
    }

    private func flags(_ options: [Option]) -> String {
        options.map { option in
            "--\(option.name)" + (option.value == nil ? "" : ":\(token(option.kind))")
        }.joined(separator: " ")
    }

    private func token(_ kind: ValueKind) -> String {
        if let allowed = kind.allowed { return "values=" + allowed.joined(separator: ",") }
        return "\(kind)"
    }

    private static let engine = #"""
        # Candidates for a value of kind $1 that begins with $2; $3 is put before each.
        _purser_values() {
            local candidate list
            local -a more=()
            COMPREPLY=()
            case $1 in
            file) mapfile -t COMPREPLY < <(compgen -P "$3" -f -- "$2") ;;
            folder) mapfile -t COMPREPLY < <(compgen -P "$3" -d -- "$2") ;;
            values=*)
                list=${1#values=}
                for candidate in ${list//,/ }; do
                    [[ $candidate == "$2"* ]] && COMPREPLY+=("$3$candidate")
                done
                ;;
            \#(ValueKind.known.map { "\($0)" }.joined(separator: " | ")))
                # A domain is the merchant's that stands before it, and so is an environment to use.
                [[ $1 == domain || $1 == usableEnvironment ]] && more=("${given[@]::1}")
                while IFS= read -r candidate; do
                    [[ $candidate == "$2"* ]] && COMPREPLY+=("$3$candidate")
                done < <("${COMP_WORDS[0]}" "${globals[@]}" __complete "$1" \
                    "${more[@]}" 2>/dev/null </dev/null)
                ;;
            esac
            if [[ $1 == file || $1 == folder ]]; then
                compopt -o filenames 2>/dev/null
            fi
            return 0
        }

        _purser() {
            local commands arguments flags word current path='' flag='' kind='' ended='' prefix=''
            local i count=0 IFS=$' \t\n'
            local -a words=() globals=() given=()
            COMPREPLY=()

            # readline takes --flag=value apart at the equals sign; put it together again.
            for ((i = 1; i <= COMP_CWORD; i++)); do
                word=${COMP_WORDS[i]}
                if [[ ${#words[@]} -gt 0 && ${words[-1]} == --* ]] &&
                    [[ $word == = || ${COMP_WORDS[i - 1]} == = ]]; then
                    words[-1]+=$word
                else
                    words+=("$word")
                fi
            done
            current=${words[-1]}
            unset 'words[-1]'
            if [[ ${COMP_WORDS[COMP_CWORD]} == --*=* ]]; then
                prefix=${current%%=*}=
            fi

            _purser_table ''
            for word in "${words[@]}"; do
                if [[ $flag ]]; then
                    [[ $flag == --home || $flag == --config ]] &&
                        globals+=("$flag=${word/#\~\//$HOME/}")
                    flag=''
                elif [[ $ended ]]; then
                    count=$((count + 1))
                    given+=("$word")
                elif [[ $word == -- ]]; then
                    ended=1
                elif [[ $word == --home=* || $word == --config=* ]]; then
                    globals+=("${word/=\~\//=$HOME/}")
                elif [[ $word == -?* ]]; then
                    [[ " $flags" == *" $word:"* ]] && flag=$word
                elif [[ " $commands " == *" $word "* ]]; then
                    path+=${path:+ }$word
                    _purser_table "$path"
                    if [[ $arguments == 'command*' ]]; then
                        # The words of another command follow.
                        path='' arguments=''
                        _purser_table ''
                    fi
                else
                    count=$((count + 1))
                    given+=("$word")
                fi
            done

            if [[ ! $flag && ! $ended && $current == --*=* ]]; then
                flag=${current%%=*}
                current=${current#*=}
            fi
            if [[ $flag ]]; then
                for word in $flags; do
                    [[ $word == "$flag:"* ]] && kind=${word#*:}
                done
            elif [[ ! $ended && $current == -* ]]; then
                kind=values=
                for word in $flags; do kind+=${word%%:*},; done
            elif [[ $commands ]]; then
                kind=values=${commands// /,}
            else
                local -a kinds
                read -ra kinds <<<"$arguments"
                kind=${kinds[count]-}
                if [[ ! $kind && ${#kinds[@]} -gt 0 && ${kinds[-1]} == *'*' ]]; then
                    kind=${kinds[-1]}
                fi
                kind=${kind%'*'}
            fi
            _purser_values "$kind" "$current" "$prefix"
        }
        complete -F _purser purser

        """#
}
