/// The scripts that make shells ask `linkcond ---complete` for completions.
///
/// They pass the words before the cursor, and the unfinished one up to it. Each line of the answer is
/// a `CommandLineCompletion.Answer`.
enum CompletionScript: String, CaseIterable {
    case bash, zsh, fish

    /// The shell named by an option or a path; nil for others.
    init?(shell: String) {
        self.init(rawValue: shell.split(separator: "/").last.map(String.init) ?? "")
    }

    var text: String {
        switch self {
        case .bash: Self.bashText
        case .zsh: Self.zshText
        case .fish: Self.fishText
        }
    }

    /// Bash splits words at "=" and ":", too, and replaces only what is behind them.
    private static let bashText = #"""
        #!/bin/bash
        _linkcond() {
            local rest=${COMP_LINE:0:COMP_POINT} words=() word index trimmed
            for ((index = 0; index <= COMP_CWORD; index++)); do
                trimmed=${rest#"${rest%%[![:space:]]*}"}
                word=${COMP_WORDS[index]}
                ((index < COMP_CWORD)) || word=$trimmed
                if ((index)) && [[ $trimmed == "$rest" && -n $trimmed ]]; then
                    words[${#words[@]}-1]+=$word
                else
                    words+=("$word")
                fi
                rest=${trimmed#"$word"}
            done
            local plain quote lead
            for index in "${!words[@]}"; do
                _linkcond_unquote "${words[index]}"
                words[index]=$plain
            done
            # Escapes within $'...' are others.
            [[ $quote != \' || $lead != *\$ ]] || return
            local kind text about IFS=$' \t\n'
            COMPREPLY=()
            while IFS=$'\t' read -r kind text about; do
                case $kind in
                    word)
                        [[ $text != *= ]] || compopt -o nospace 2>/dev/null
                        _linkcond_quote "${text#"$lead"}" ;;
                    files | directories) _linkcond_paths "$kind" "$plain" "$text" "$lead" ;;
                    command) _linkcond_command ;;
                esac
            done < <("${COMP_WORDS[0]/#\~/$HOME}" ---complete "${words[@]:1}" 2>/dev/null)
        }

        # Sets `plain` to what the word $1 means, `quote` to the quote that is open at its end, and
        # `lead` to the meaning of what stands before the part that bash replaces.
        _linkcond_unquote() {
            local rest=$1 sign opened
            plain= quote= lead=
            while [[ -n $rest ]]; do
                sign=${rest:0:1} rest=${rest:1}
                if [[ $sign == \\ && $quote != \' ]]; then
                    sign=${rest:0:1} rest=${rest:1}
                    [[ -z $quote || $sign == [\$\`\"\\] ]] || plain+=\\
                    plain+=$sign
                elif [[ -n $quote && $sign == "$quote" ]]; then
                    quote=
                elif [[ -z $quote && $sign == [\'\"] ]]; then
                    quote=$sign opened=$plain
                else
                    plain+=$sign
                    if [[ -z $quote && $sign == [=:] && $COMP_WORDBREAKS == *"$sign"* ]]; then
                        lead=$plain
                    fi
                fi
            done
            [[ -z $quote ]] || lead=$opened
        }

        # Offers $1 such that the shell takes it literally: anyone may have chosen the name.
        _linkcond_quote() {
            local text=$1 sign quoted
            case $quote in
                \')
                    quoted="'\\''"
                    text=${text//\'/"$quoted"} ;;
                \")
                    for sign in \\ \" \$ \`; do text=${text//"$sign"/"\\$sign"}; done
                    # A backslash within the quotes would stay.
                    quoted='"\!"'
                    text=${text//!/"$quoted"} ;;
                *)
                    [[ -z $text ]] || printf -v text %q "$text"
                    # Lists are more readable with plain commas.
                    [[ $text == \$\'* ]] || text=${text//\\,/,} ;;
            esac
            COMPREPLY+=("$text")
        }

        _linkcond_paths() {
            local flag=-f path
            [[ $1 == files ]] || flag=-d
            compopt -o filenames 2>/dev/null
            while IFS= read -r path; do
                path=$3$path
                COMPREPLY+=("${path#"$4"}")
            done < <(compgen "$flag" -- "${2#"$3"}")
        }

        _linkcond_command() {
            local first=1
            while [[ ${COMP_WORDS[first]} != -- ]]; do ((first++)); done
            ((++first))
            if declare -F _comp_command_offset >/dev/null; then
                _comp_command_offset "$first"
            elif declare -F _command_offset >/dev/null; then
                _command_offset "$first"
            else
                local flag=-f
                ((COMP_CWORD > first)) || flag=-c
                compopt -o filenames 2>/dev/null
                mapfile -t COMPREPLY < <(compgen "$flag" -- "${COMP_WORDS[COMP_CWORD]}")
            fi
        }

        complete -F _linkcond linkcond

        """#

    private static let zshText = #"""
        #compdef linkcond
        _linkcond() {
            local line kind text about ret=1
            local -a parts names displays open
            for line in "${(@f)$("${(Q)words[1]/#\~\//$HOME/}" ---complete \
                "${(@Q)words[2,CURRENT-1]}" "${(Q)PREFIX}" 2>/dev/null)}"; do
                parts=("${(@ps:\t:)line}")
                kind=$parts[1] text=$parts[2] about=$parts[3]
                case $kind in
                    word)
                        if [[ $text == *= ]]; then
                            open+=("$text")
                        else
                            names+=("$text")
                            displays+=("$text${about:+  -- $about}")
                        fi ;;
                    files | directories)
                        [[ -z $text ]] || compset -P ${#text} '?'
                        local -a only=()
                        [[ $kind == files ]] || only=(-/)
                        _files $only && ret=0 ;;
                    command)
                        shift $text words
                        ((CURRENT -= text))
                        _normal && ret=0 ;;
                esac
            done
            # The names are the right ones already, in another case perhaps.
            if (($#names)); then
                if [[ ${(j::)displays} == *'  -- '* ]]; then
                    compadd -U -V linkcond -l -d displays -a names && ret=0
                else
                    compadd -U -V linkcond -a names && ret=0
                fi
            fi
            if (($#open)); then compadd -U -V linkcond-open -S '' -a open && ret=0; fi
            return ret
        }
        if [[ $funcstack[1] == _linkcond ]]; then
            _linkcond "$@"
        else
            compdef _linkcond linkcond
        fi

        """#

    private static let fishText = #"""
        function __linkcond_complete
            set -l words (commandline -opc)
            set -l typed (commandline -ct)
            for line in (command $words[1] ---complete $words[2..-1] "$typed" 2>/dev/null)
                set -l part (string split \t -- $line)
                switch $part[1]
                    case word
                        printf '%s\t%s\n' $part[2] $part[3]
                    case files directories
                        set -l path (string sub -s (math (string length -- "$part[2]") + 1) -- "$typed")
                        for found in (complete -C "'' $path")
                            set found (string split -f 1 \t -- $found)
                            if test $part[1] = files; or string match -q -- '*/' $found
                                printf '%s%s\n' "$part[2]" $found
                            end
                        end
                    case command
                        set -l first (math $part[2] + 1)
                        complete -C (string join -- ' ' (string escape -- $words[$first..-1]) "$typed")
                end
            end
        end
        complete -c linkcond -f -a '(__linkcond_complete)'

        """#
}
