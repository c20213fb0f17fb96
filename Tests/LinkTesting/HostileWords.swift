/// Words of others that a shell, YAML or XML could take for something else.
public enum HostileWords {
    /// What a text file can hold.
    public static let printable = [
        "", "plain", "a b", "a';>pwned;'", "a';touch${IFS}pwned;'", "$(>pwned)", "`>pwned`", "a\\",
        "'", "''", "\"", "~", "*", "?", "[a]", "{a,b}", "!!", "!", "#a", "a #b", "-n", "A=b", "a=b",
        "a&b", "a|b", "a>pwned", "a<b", "(a)", "é", "'\u{301}", "$HOME", "$$HOME", "$(HOME)",
        "$$(HOME)", "REPORT", "report-$CI_JOB_ID", "$(JOB_COMPLETION_INDEX)", "%s", "a: b", "- a",
        "&a", "*a", "]]>", "</pre>", "::error::x", "%0A", "${{ github.token }}", "\\n",
    ]

    /// Also what is on several lines, or seen by none.
    public static let all =
        printable + [
            "a\n>pwned\n", "\n", "a\n\n>pwned # b", "EOF", "a\nEOF\n>pwned\n", "\t", "a\u{85}b",
            "a\u{2028}b", "\u{1b}[31m", "\u{feff}a", "a\rb",
        ]

    /// A script that prints what the functions `programs` are called with, a dot behind each word.
    public static func printing(_ programs: String..., script: String) -> String {
        programs.map { "\($0)() { printf '%s.' \"$@\"; }\n" }.joined() + script
    }
}
