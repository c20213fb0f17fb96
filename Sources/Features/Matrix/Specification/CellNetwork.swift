public import LinkModel

/// What the network of a cell is like, apart from its conditions: the options of `linkcond run`,
/// as it reads them.
public struct CellNetwork: Codable, Sendable, Hashable {
    /// Changes of the profile: `down.loss=2%`.
    public var settings: [String] = []
    /// Commands of servers.
    public var servers: [String] = []
    /// Ports at which they have to wait for clients before the command starts.
    public var serverPorts: [ServerPort] = []
    /// How long they have to end after SIGTERM; nil: as long as `linkcond run` says.
    public var serverStop: String?
    /// How long what the command has sent may take to arrive after its end; nil: as long as
    /// `linkcond run` says.
    public var drain: String?
    /// How the command reaches the host's network.
    public var uplink = "auto"
    /// What carries out the conditions.
    public var backend = Backend.auto
    /// Whether the conditions also hold over the loopback.
    public var conditionsLoopback = false
    /// What the command sees of its interface, in every cell.
    public var override = InterfaceOverride()
    /// What it sees under some profiles in place of that, by their names as in the specification.
    public var overrides: [String: InterfaceOverride] = [:]

    /// A network as `linkcond run` makes it without options.
    public init() {}

    /// What the command sees of its interface under a profile.
    public func override(of profile: String) -> InterfaceOverride {
        override.overridden(by: overrides[profile] ?? InterfaceOverride())
    }

    /// The words by which `linkcond run` makes the same network for a cell.
    func arguments(for cell: Cell) -> [String] {
        // A link with changed conditions would not be one without any, and a scenario has its own.
        let isPlain = cell.isBaseline || cell.scenario != nil
        var words = isPlain ? [] : settings.flatMap { ["--set", $0] }
        words += servers.flatMap { ["--server", $0] }
        words += serverPorts.flatMap { ["--server-ready", "\($0)"] }
        if let serverStop { words += ["--server-stop", serverStop] }
        if let drain { words += ["--drain", drain] }
        if uplink != "auto" { words += ["--uplink", uplink] }
        if backend != .auto { words += ["--backend", backend.rawValue] }
        if conditionsLoopback { words.append("--loopback") }
        return words + (cell.scenario == nil ? override(of: cell.profile).arguments : [])
    }

    private enum CodingKeys: String, CodingKey {
        case settings, servers, serverPorts, serverStop, drain, uplink, backend
        case conditionsLoopback = "loopback"
        case override, overrides
    }
}

extension InterfaceOverride {
    /// The words by which `linkcond run` does the same.
    fileprivate var arguments: [String] {
        [
            ("--cost", cost?.rawValue), ("--low-data", lowData?.rawValue),
            ("--kind", kind?.rawValue),
        ].flatMap { option, value in value.map { [option, $0] } ?? [] }
    }
}
