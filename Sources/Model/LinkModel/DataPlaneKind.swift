/// What carries conditions out.
public enum DataPlaneKind: String, Sendable, Hashable, Codable, CaseIterable {
    /// Qdiscs of the kernel.
    case kernel
    /// linkcond's own packet engine.
    case engine

    /// What people call it.
    public var title: String {
        switch self {
        case .kernel: "kernel data plane"
        case .engine: "packet engine"
        }
    }
}

/// Which data plane a user asks for.
public enum Backend: String, Sendable, Hashable, Codable, CaseIterable {
    /// The kernel where it can do all that is asked, else the packet engine.
    case auto
    case kernel
    case engine
}
