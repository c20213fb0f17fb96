/// A container engine.
public enum ContainerEngine: String, Sendable, Hashable, CaseIterable {
    case docker = "Docker"
    case podman = "Podman"
    case containerd = "containerd"
    /// An unknown engine, whose containers are visible only as control groups.
    case other = "container"
}

/// A container as described by its engine's files.
public struct Container: Sendable, Hashable {
    /// Its ID, usually 64 hexadecimal digits.
    public var id: String
    /// Its names; a name need not be unique.
    public var names: [String]
    /// Its engine.
    public var engine: ContainerEngine
    /// Its first process; nil if it is not running.
    public var process: Int32?

    /// The display name with enough to identify it: `web (Docker 0123456789ab)`.
    public var label: String {
        let short = "\(engine.rawValue) \(id.prefix(12))"
        return names.first.map { "\($0) (\(short))" } ?? short
    }
}
