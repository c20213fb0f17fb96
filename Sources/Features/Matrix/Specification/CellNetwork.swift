public import LinkModel

/// The network of a cell, apart from its conditions: the options of `linkcond run`.
public struct CellNetwork: Codable, Sendable, Hashable {
    /// Changes of the profile: `down.loss=2%`.
    public var settings: [String] = []
    /// Server commands.
    public var servers: [String] = []
    /// Ports on which they must listen before the command starts.
    public var serverPorts: [ServerPort] = []
    /// How long they may take to end after SIGTERM; nil: the default of `linkcond run`.
    public var serverStop: String?
    /// How long the command's data may take to arrive after its end; nil: the default of `linkcond
    /// run`.
    public var drain: String?
    /// How late one packet in a hundred may be; nil: the default of `linkcond run`.
    public var faithful: String?
    /// How the command reaches the host's network.
    public var uplink = "auto"
    /// The requested data plane.
    public var backend = Backend.auto
    /// Whether the conditions also apply to the loopback.
    public var conditionsLoopback = false
    /// The overrides of the command's interface in every cell.
    public var override = InterfaceOverride()
    /// The overrides that replace that for some profiles, by their names in the specification.
    public var overrides: [String: InterfaceOverride] = [:]

    /// Makes the network of `linkcond run` without options.
    public init() {}

    /// The override of the command's interface for a profile.
    public func override(of profile: String) -> InterfaceOverride {
        override.overridden(by: overrides[profile] ?? InterfaceOverride())
    }

    /// The options of `linkcond run` that make the same network for a cell.
    func arguments(for cell: Cell) -> [String] {
        // The baseline must stay without conditions, and a scenario has its own.
        let isPlain = cell.isBaseline || cell.scenario != nil
        let changes = settings + (cell.variant?.settings ?? [])
        var words = isPlain ? [] : changes.flatMap { ["--set", $0] }
        words += servers.flatMap { ["--server", $0] }
        words += serverPorts.flatMap { ["--server-ready", "\($0)"] }
        if let serverStop { words += ["--server-stop", serverStop] }
        if let drain { words += ["--drain", drain] }
        if let faithful { words += ["--faithful", faithful] }
        if uplink != "auto" { words += ["--uplink", uplink] }
        if backend != .auto { words += ["--backend", backend.rawValue] }
        if conditionsLoopback { words.append("--loopback") }
        return words
            + (cell.scenario == nil
                ? override(of: cell.variant?.profile ?? cell.profile).arguments : [])
    }

    private enum CodingKeys: String, CodingKey {
        case settings, servers, serverPorts, serverStop, drain, faithful, uplink, backend
        case conditionsLoopback = "loopback"
        case override, overrides
    }
}

extension InterfaceOverride {
    /// The equivalent options of `linkcond run`.
    fileprivate var arguments: [String] {
        [
            ("--cost", cost?.rawValue), ("--low-data", lowData?.rawValue),
            ("--kind", kind?.rawValue),
        ].flatMap { option, value in value.map { [option, $0] } ?? [] }
    }
}
