public import LinkModel

/// All listeners and links of a proxy.
public struct ProxyState: Sendable, Hashable, Codable {
    /// The listeners, in the order of their creation.
    public var listeners: [ListenerState]
    /// The links, in the order of their creation.
    public var links: [LinkState]
    /// Where the API is served; nil: nowhere.
    public var api: String?

    /// Lists them.
    public init(listeners: [ListenerState], links: [LinkState], api: String? = nil) {
        (self.listeners, self.links, self.api) = (listeners, links, api)
    }
}

/// A listener as it is.
public struct ListenerState: Sendable, Hashable, Codable {
    /// Its name.
    public var name: String
    /// What it does with connections.
    public var service: ListenerService
    /// Where it listens, with the port that it got; a disabled one: where it would.
    public var address: String
    /// The name of its link.
    public var link: String
    /// Whether the link is its own, and goes with it.
    public var ownsLink: Bool
    /// The annotation of its own link.
    public var annotation: String?
    /// Whether it listens.
    public var isEnabled: Bool
    /// The header that tells targets who the client is.
    public var proxyHeader: ProxyHeaderVersion?
    /// What is done to its streams.
    public var behaviours: [StreamBehaviour]
    /// Its traffic.
    public var counters: ListenerCounters

    /// Describes a listener.
    public init(
        name: String, service: ListenerService, address: String, link: String, ownsLink: Bool,
        annotation: String? = nil, isEnabled: Bool, proxyHeader: ProxyHeaderVersion?,
        behaviours: [StreamBehaviour],
        counters: ListenerCounters = ListenerCounters()
    ) {
        self.name = name
        self.service = service
        self.address = address
        self.link = link
        self.ownsLink = ownsLink
        self.annotation = annotation
        self.isEnabled = isEnabled
        self.proxyHeader = proxyHeader
        self.behaviours = behaviours
        self.counters = counters
    }
}

/// The traffic of a listener since it was made.
public struct ListenerCounters: Sendable, Hashable, Codable {
    /// Connections open now; of UDP: clients that sent or got something in the last minute.
    public var open: Int
    /// Connections accepted so far.
    public var accepted: UInt64
    /// Those whose target was not reached: refused, unreachable, unknown name.
    public var failed: UInt64
    /// Those refused for lack of descriptors.
    public var refused: UInt64
    /// Bytes of content passed from clients to targets.
    public var upstreamBytes: UInt64
    /// Bytes of content passed from targets to clients.
    public var downstreamBytes: UInt64
    /// Why a target was last not reached; nil if that has not happened.
    public var lastFailure: String?

    /// Makes counters.
    public init(
        open: Int = 0, accepted: UInt64 = 0, failed: UInt64 = 0, refused: UInt64 = 0,
        upstreamBytes: UInt64 = 0, downstreamBytes: UInt64 = 0, lastFailure: String? = nil
    ) {
        self.open = open
        self.accepted = accepted
        self.failed = failed
        self.refused = refused
        self.upstreamBytes = upstreamBytes
        self.downstreamBytes = downstreamBytes
        self.lastFailure = lastFailure
    }
}

/// A link as it is.
public struct LinkState: Sendable, Hashable, Codable {
    /// What a link does.
    public enum Phase: String, Sendable, Hashable, Codable {
        /// Its sandbox is being made; clients wait.
        case starting
        /// It carries packets.
        case up
        /// It could not be made or has ended: `problem` says why.
        case failed
    }

    /// Its name.
    public var name: String
    /// What it does.
    public var phase: Phase
    /// Why it failed, or why its conditions are not kept; nil: all is well.
    public var problem: String?
    /// The profile.
    public var profile: String
    /// All changes to the profile, as in `--set`.
    public var settings: [String]
    /// What a controller keeps with the conditions that it gave.
    public var annotation: String?
    /// The data plane; nil until it is up.
    public var backend: DataPlaneKind?
    /// The seed of its losses.
    public var seed: UInt64
    /// The scenario being played; nil: none.
    public var scenario: String?
    /// The traffic on it.
    public var counters: LinkCounters

    /// Describes a link.
    public init(
        name: String, phase: Phase, problem: String? = nil, profile: String, settings: [String],
        annotation: String? = nil, backend: DataPlaneKind? = nil, seed: UInt64,
        scenario: String? = nil,
        counters: LinkCounters = LinkCounters()
    ) {
        self.name = name
        self.phase = phase
        self.problem = problem
        self.profile = profile
        self.settings = settings
        self.annotation = annotation
        self.backend = backend
        self.seed = seed
        self.scenario = scenario
        self.counters = counters
    }
}

/// All counters at one time.
public struct ProxyCounters: Sendable, Hashable, Codable {
    /// Those of listeners, by name.
    public var listeners: [String: ListenerCounters]
    /// Those of links, by name.
    public var links: [String: LinkCounters]

    /// Lists them.
    public init(listeners: [String: ListenerCounters], links: [String: LinkCounters]) {
        (self.listeners, self.links) = (listeners, links)
    }
}
