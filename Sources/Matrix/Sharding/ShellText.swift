/// Words as a shell reads them.
public enum ShellText {
    /// A line of words, for people to paste.
    public static func line(_ words: [String]) -> String {
        words.map(quoted).joined(separator: " ")
    }

    /// A word as it is, or in single quotes if the shell would read it otherwise.
    public static func quoted(_ word: String) -> String {
        let isPlain =
            !word.isEmpty
            && word.allSatisfy {
                $0.isASCII && ($0.isLetter || $0.isNumber || "_-+=:,./@%".contains($0))
            }
        if isPlain { return word }
        let parts = word.split(separator: "'", omittingEmptySubsequences: false)
        return "'" + parts.joined(separator: "'\\''") + "'"
    }
}
