import LinkModel
import LinuxKernel
import SystemPackage

/// Messages between a sandbox's two processes: the supervisor in the host's namespaces and the
/// first process inside.
enum SandboxMessage: Hashable {
    /// From the maker of the namespaces: the PID of the first process on the host.
    case forked(Int32)
    /// From inside: the network is built; file descriptors for the uplink follow.
    case built
    /// From the supervisor: the uplink is connected, start the command.
    case start
    /// From the supervisor: send this signal to the command.
    case signal(Int32)
    /// From the supervisor: this signal came to the process group, which the command is in.
    case groupSignal(Int32)
    /// From inside: the command has stopped, so the job has to, unless it was continued more often
    /// than this since the start.
    case stopped(continuations: Int32)
    /// From inside: a note for the user.
    case note(String)
    /// From inside: an explanation for interested users.
    case explanation(String)
    /// From inside: the data plane.
    case dataPlane(DataPlaneKind)
    /// From inside: a part of the statistics JSON, and whether it is the last.
    case statistics(String, isLast: Bool)
    /// From inside: a failed expectation of the scenario.
    case failedExpectation(String)
    /// From inside: a file could not be written.
    case unwrittenFile(String)
    /// From inside: the command has ended; its data in flight is awaited.
    case commandEnded
    /// From inside: the links are empty, or the wait is over; what did not arrive, and how many
    /// milliseconds remain for the relay.
    case drained(Drain.Remainder, milliseconds: Int64)
    /// From inside: everything has ended; the exit code that no expectation covers.
    case ended(Int32)
    /// From inside: the command did not run.
    case failed(SandboxError)
    /// From inside: the kernel refused what the sandbox is made of. The supervisor knows why, who has
    /// the caller's privileges and limits.
    case refused(KernelError)

    /// The encoded message: one byte for the case, a number, and a text.
    var bytes: [UInt8] {
        let (kind, number, text): (UInt8, Int32, String) =
            switch self {
            case .built: (1, 0, "")
            case .start: (2, 0, "")
            case .signal(let number): (3, number, "")
            case .note(let text): (4, 0, text)
            case .explanation(let text): (5, 0, text)
            case .statistics(let text, let isLast): (6, isLast ? 1 : 0, text)
            case .ended(let code): (7, code, "")
            case .forked(let process): (9, process, "")
            case .failed(let error): (8, error.status.rawValue, error.description)
            case .dataPlane(let plane): (10, 0, plane.rawValue)
            case .failedExpectation(let text): (11, 0, text)
            case .commandEnded: (12, 0, "")
            case .drained(let remainder, let milliseconds):
                (13, 0, remainder.text + " \(milliseconds)")
            case .unwrittenFile(let text): (14, 0, text)
            case .groupSignal(let number): (15, number, "")
            case .stopped(let continuations): (16, continuations, "")
            case .refused(let error):
                (17, error.errno.rawValue, "\(error.operation.rawValue) \(error.subject)")
            }
        let number32 = UInt32(bitPattern: number)
        let digits = (0..<4).map { UInt8(truncatingIfNeeded: number32 >> (8 * $0)) }
        return [kind] + digits + text.utf8
    }

    /// Decodes a message; nil if it is invalid.
    init?(_ bytes: [UInt8]) {
        guard bytes.count >= 5 else { return nil }
        let number = (0..<4).reduce(0 as UInt32) { $0 | UInt32(bytes[1 + $1]) << (8 * $1) }
        let value = Int32(bitPattern: number)
        let text = String(decoding: bytes[5...], as: UTF8.self)
        switch bytes[0] {
        case 1: self = .built
        case 2: self = .start
        case 3: self = .signal(value)
        case 4: self = .note(text)
        case 5: self = .explanation(text)
        case 6: self = .statistics(text, isLast: value == 1)
        case 7: self = .ended(value)
        case 8: self = .failed(SandboxError(text, status: .init(rawValue: value) ?? .sandbox))
        case 9: self = .forked(value)
        case 10:
            guard let plane = DataPlaneKind(rawValue: text) else { return nil }
            self = .dataPlane(plane)
        case 11: self = .failedExpectation(text)
        case 12: self = .commandEnded
        case 13:
            let numbers = text.split(separator: " ").compactMap { UInt64($0) }
            guard numbers.count == 4, let milliseconds = Int64(exactly: numbers[3]),
                let remainder = Drain.Remainder(numbers.prefix(3))
            else { return nil }
            self = .drained(remainder, milliseconds: milliseconds)
        case 14: self = .unwrittenFile(text)
        case 15: self = .groupSignal(value)
        case 16: self = .stopped(continuations: value)
        case 17:
            let words = text.split(separator: " ", maxSplits: 1)
            guard words.count == 2, let operation = KernelError.Operation(rawValue: "\(words[0])")
            else { return nil }
            self = .refused(
                KernelError(operation, subject: "\(words[1])", errno: Errno(rawValue: value)))
        default: return nil
        }
    }
}

extension MessageChannel {
    /// Sends a message; false if the other end is closed.
    @discardableResult
    func send(_ message: SandboxMessage) -> Bool { send(message.bytes) }

    /// Sends statistics in parts that fit into messages.
    func send(statistics json: String) {
        var rest = json[...]
        repeat {
            let part = rest.prefix(Self.partLength)
            rest = rest.dropFirst(Self.partLength)
            send(.statistics(String(part), isLast: rest.isEmpty))
        } while !rest.isEmpty
    }

    /// In characters, nearly all of which are one byte.
    private static let partLength = 32 << 10

    /// Waits for the next message; nil when the other end is closed.
    func receiveMessage() -> SandboxMessage? {
        receive().flatMap { SandboxMessage($0) }
    }
}
