public import LinkModel
import LinuxKernel

/// Why no data plane did what was asked. Interfaces are as they were before.
public enum DataPlaneError: Error, Sendable, CustomStringConvertible {
    /// An interface is conditioned by another data plane than the one that is needed.
    case otherPlane(DataPlaneKind, interface: String, since: String?)
    /// A data plane that was named knows nothing of an option.
    case lacking(DataPlaneKind, option: String)
    case noSuchConditions(name: String, known: [String])

    /// One sentence: what failed, why, and the way out.
    public var description: String {
        switch self {
        case .otherPlane(let plane, let name, let reason):
            "\(name): is conditioned by the \(plane.title), which cannot be changed for the other "
                + "one in place\(reason.map { ", and \($0)" } ?? ""); use linkcond clear "
                + "-i \(ShellWord(name)) first, or leave it out here"
        case .lacking(let plane, let option):
            "the \(plane.title) cannot do \(option); leave out \(option) or --backend \(plane)"
        case .noSuchConditions(let name, let known):
            "\(name): there are no conditions of this name"
                + (known.isEmpty ? "" : " (have: \(known.joined(separator: ", ")))")
        }
    }
}
