public import LinkModel
import LinuxKernel

/// Why no data plane met a request. All interfaces are as they were before.
public enum DataPlaneError: Error, Sendable, CustomStringConvertible {
    /// An interface is conditioned by another data plane than the required one.
    case otherPlane(DataPlaneKind, interface: String, since: String?)
    /// The requested data plane does not support an option.
    case lacking(DataPlaneKind, option: String)
    /// The conditions have a middlebox, which only a run has room for.
    case middlebox
    case noSuchConditions(name: String, known: [String])

    /// One sentence: what failed, why, and what to do.
    public var description: String {
        switch self {
        case .otherPlane(let plane, let name, let reason):
            "\(name): is conditioned by the \(plane.title), which cannot be changed for the other "
                + "one in place\(reason.map { ", and \($0)" } ?? ""); use linkcond clear "
                + "-i \(ShellWord(name)) first, or leave it out here"
        case .lacking(let plane, let option):
            "the \(plane.title) cannot do \(option); leave out \(option) or --backend \(plane)"
        case .middlebox:
            "what stands in the middle (middle:) works in linkcond run only: an interface of a host "
                + "has no place for it; use linkcond run, or leave it out"
        case .noSuchConditions(let name, let known):
            "\(name): there are no conditions of this name"
                + (known.isEmpty ? "" : " (have: \(known.joined(separator: ", ")))")
        }
    }
}
