/// Whose network is meant.
public enum NetworkTarget: Sendable, Hashable {
    /// The namespace with this name of `ip netns`, or at this path.
    case namespace(String)
    /// That of the process with this ID.
    case process(Int32)
    /// That of the container with this name, ID or beginning of an ID.
    case container(String)
}

/// A network that was found.
public struct FoundNetwork: Sendable, Hashable {
    /// A path of its namespace.
    public let path: String
    /// What it is, for people: `network namespace blue`.
    public let label: String
}
