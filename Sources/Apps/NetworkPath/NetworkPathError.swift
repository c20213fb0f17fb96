public import Netlink

/// Why the path is unknown, or did not become the one awaited.
public enum NetworkPathError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kernel did not answer.
    case unreadable(NetlinkError)
    /// The watching thread could not start; the kernel's reason.
    case unwatchable(String)
    /// The path did not become the one awaited: the last path, if seen, and why it does not
    /// suffice.
    case timedOut(NetworkPath?, [NetworkPath.UnsatisfiedReason])

    /// One sentence, with a remedy if there is one.
    public var description: String {
        switch self {
        case .unreadable(let error): return "\(error)"
        case .unwatchable(let reason): return "cannot watch the network: \(reason)"
        case .timedOut(_, let reasons):
            let texts = reasons.map { "\($0)" }.joined(separator: ", ")
            return "the network did not become usable in time" + (texts.isEmpty ? "" : ": \(texts)")
        }
    }
}

extension NetworkPathError {
    /// The equivalent of an error from reading the network.
    init(_ error: any Error) {
        self = (error as? NetlinkError).map { .unreadable($0) } ?? .unwatchable("\(error)")
    }
}
