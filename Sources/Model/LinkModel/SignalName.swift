/// The names of signals, with Linux's numbers, which are the same on all processors that Swift
/// supports.
public enum SignalName {
    private static let all: [(name: String, number: Int32)] = [
        ("HUP", 1), ("INT", 2), ("QUIT", 3), ("ILL", 4), ("TRAP", 5), ("ABRT", 6), ("BUS", 7),
        ("FPE", 8), ("KILL", 9), ("USR1", 10), ("SEGV", 11), ("USR2", 12), ("PIPE", 13),
        ("ALRM", 14), ("TERM", 15), ("STKFLT", 16), ("CHLD", 17), ("CONT", 18), ("STOP", 19),
        ("TSTP", 20), ("TTIN", 21), ("TTOU", 22), ("URG", 23), ("XCPU", 24), ("XFSZ", 25),
        ("VTALRM", 26), ("PROF", 27), ("WINCH", 28), ("IO", 29), ("PWR", 30), ("SYS", 31),
    ]

    /// All names, with `SIG`.
    public static var names: [String] { all.map { "SIG" + $0.name } }

    /// The number of `SIGSEGV` or `SEGV`; nil if there is no such signal.
    public static func number(of name: String) -> Int32? {
        let short = name.hasPrefix("SIG") ? String(name.dropFirst(3)) : name
        return all.first { $0.name == short }?.number
    }

    /// `SIGSEGV`; nil if the number has no name.
    public static func name(of number: Int32) -> String? {
        all.first { $0.number == number }.map { "SIG" + $0.name }
    }

    /// `exit code 3`, or with the signal that a shell means by it: `exit code 139 (SIGSEGV)`.
    public static func exitCodeText(_ code: Int32) -> String {
        "exit code \(code)" + (name(of: code &- 128).map { " (\($0))" } ?? "")
    }
}
