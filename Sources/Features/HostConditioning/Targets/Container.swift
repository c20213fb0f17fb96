/// What runs containers.
public enum ContainerEngine: String, Sendable, Hashable, CaseIterable {
    case docker = "Docker"
    case podman = "Podman"
    case containerd = "containerd"
    /// Another one, of whose containers only the control groups tell.
    case other = "container"
}

/// A container as the files of its engine describe it.
public struct Container: Sendable, Hashable {
    /// Its ID, most often 64 hexadecimal digits.
    public var id: String
    /// Its names; a name need not be unique.
    public var names: [String]
    /// What runs it.
    public var engine: ContainerEngine
    /// Its first process; nil if it does not run.
    public var process: Int32?

    /// Describes a container.
    public init(id: String, names: [String], engine: ContainerEngine, process: Int32?) {
        self.id = id
        self.names = names
        self.engine = engine
        self.process = process
    }

    /// What people call it, with what tells it from others: `web (Docker 0123456789ab)`.
    public var label: String {
        let short = "\(engine.rawValue) \(id.prefix(12))"
        return names.first.map { "\($0) (\(short))" } ?? short
    }
}
