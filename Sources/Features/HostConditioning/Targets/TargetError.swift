/// Why the network namespace of a target was not found or not entered.
public enum TargetError: Error, Sendable, Hashable, CustomStringConvertible {
    case noSuchNamespace(String, known: [String])
    case notANamespace(String)
    case noSuchProcess(Int32)
    case noSuchContainer(String, known: [String])
    case ambiguousContainer(String, candidates: [Container])
    case stoppedContainer(Container)
    case sharedNetwork(Container)
    case missingPrivilege(String)
    case unreadable(String, reason: String)

    /// One sentence: what failed, why, and the remedy.
    public var description: String {
        switch self {
        case .noSuchNamespace(let name, let known):
            "--netns \(name): no such network namespace"
                + Self.list(known, none: "; ip netns add makes one, and a path names any other")
        case .notANamespace(let path):
            "--netns \(path): is not a network namespace, or not any more"
        case .noSuchProcess(let process):
            "--pid \(process): there is no such process (any more)"
        case .noSuchContainer(let name, let known):
            "--container \(name): no such container of Docker, Podman or containerd"
                + Self.list(known, none: "; none runs here")
        case .ambiguousContainer(let name, let candidates):
            "--container \(name): may be any of \(candidates.map(\.label).joined(separator: ", ")); "
                + "write more of the ID"
        case .stoppedContainer(let container):
            "--container \(container.label): is not running, and has no network; start it first"
        case .sharedNetwork(let container):
            "--container \(container.label): has no network of its own but uses this one; "
                + "leave --container out to condition it for all"
        case .missingPrivilege(let what):
            "\(what): looking at its network requires privileges; run it with sudo"
        case .unreadable(let what, let reason):
            "\(what): its network cannot be entered: \(reason)"
        }
    }

    private static func list(_ names: [String], none: String) -> String {
        guard !names.isEmpty else { return none }
        let shown = names.prefix(20)
        return " (have: \(shown.joined(separator: ", "))\(shown.count < names.count ? ", …" : ""))"
    }
}
