import LinkModel
public import LinkUnits

/// The expected exit code.
public enum ExitExpectation: WrittenAsText {
    case zero
    /// Any other, but those of a shell that cannot run the command: then nothing was tested.
    case nonzero
    case code(Int32)
    /// Ended by the signal with this number, as a shell reports it.
    case signal(Int32)

    /// Reads `zero`, `nonzero`, a number or `SIGSEGV`.
    public init(parsing text: String) throws(QuantityError) {
        switch text {
        case "zero", "0": self = .zero
        case "nonzero": self = .nonzero
        default:
            if text.hasPrefix("SIG"), let signal = SignalName.number(of: text) {
                self = .signal(signal)
            } else if let code = UInt8(text) {
                self = .code(Int32(code))
            } else {
                let known = SignalName.names + ["zero", "nonzero"]
                throw QuantityError(
                    "\"\(text)\" is not an exit code; "
                        + (NameMatching.suggestion(for: text, among: known).map {
                            "did you mean \($0)?"
                        } ?? "write zero, nonzero, a number up to 255, or a signal such as SIGSEGV")
                )
            }
        }
    }

    /// The text as `init(parsing:)` reads it.
    public var description: String {
        switch self {
        case .zero: "zero"
        case .nonzero: "nonzero"
        case .code(let code): "\(code)"
        case .signal(let signal): SignalName.name(of: signal) ?? "\(128 + signal)"
        }
    }

    private static var notExecutable: Int32 { 126 }
    private static var notFound: Int32 { 127 }

    func isMet(by exitCode: Int32) -> Bool {
        switch self {
        case .zero: exitCode == 0
        case .nonzero: ![0, Self.notExecutable, Self.notFound].contains(exitCode)
        case .code(let code): exitCode == code
        case .signal(let signal): exitCode == 128 + signal
        }
    }
}
