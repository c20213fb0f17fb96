public import Netlink

/// Why nothing is known of the path, or not what was waited for.
public enum NetworkPathError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kernel does not answer.
    case unreadable(NetlinkError)
    /// There is no thread to watch on; the kernel's reason.
    case unwatchable(String)
    /// The path did not become what was waited for; how it is, if that was seen, and why that does
    /// not do.
    case timedOut(NetworkPath?, [NetworkPath.UnsatisfiedReason])

    /// One sentence with the way out where there is one.
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
    /// What an error of reading the network means.
    init(_ error: any Error) {
        self = (error as? NetlinkError).map { .unreadable($0) } ?? .unwatchable("\(error)")
    }
}
