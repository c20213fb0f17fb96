/// The network namespace to work on.
public enum NetworkTarget: Sendable, Hashable {
    /// The namespace with this `ip netns` name, or at this path.
    case namespace(String)
    /// The namespace of the process with this ID.
    case process(Int32)
    /// The namespace of the container with this name, ID or beginning of an ID.
    case container(String)
}

/// A network namespace that was found.
public struct FoundNetwork: Sendable, Hashable {
    /// A path of its namespace.
    public let path: String
    /// Its description for people: `network namespace blue`.
    public let label: String
}
