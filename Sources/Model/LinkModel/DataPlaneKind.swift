/// The data plane that applies conditions.
public enum DataPlaneKind: String, Sendable, Hashable, Codable, CaseIterable {
    /// Kernel qdiscs.
    case kernel
    /// linkcond's own packet engine.
    case engine

    /// The name shown to people.
    public var title: String {
        switch self {
        case .kernel: "kernel data plane"
        case .engine: "packet engine"
        }
    }
}

/// The data plane that a user asks for.
public enum Backend: String, Sendable, Hashable, Codable, CaseIterable {
    /// The kernel if it supports everything asked for, else the packet engine.
    case auto
    case kernel
    case engine
}
