/// An order to a running proxy.
///
/// Theory of operation. A controller, such as the program that serves the HTTP API, is connected to
/// the proxy by a Unix stream socket. Each way carries JSON objects, one a line (`ControlLine`): a
/// `ControlCall` toward the proxy, and a `ControlAnswer` back. The proxy carries out calls in the
/// order of their arrival and answers each exactly once, with the `number` of the call. Answers
/// without a number are events, sent to every controller that has subscribed to them. Several
/// controllers may be connected; each sees the others' changes as events, and its own before the
/// answer. `proxy --api ADDRESS` starts the program `linkcond-api`, installed beside `linkcond`, with
/// the arguments `--address ADDRESS` and its end of the connection as descriptor 3. The program ends
/// when that connection ends. If the program ends by itself, the proxy starts it again: it keeps
/// nothing that the proxy does not keep for it.
public enum ProxyRequest: Sendable, Hashable, Codable {
    /// Everything there is: `.state`.
    case state
    /// Opens a listener: `.listener`. Its socket is open when the answer arrives.
    case createListener(ListenerRequest)
    /// Changes some properties of a listener: `.listener`. Open connections stay, except where the
    /// listener is disabled or gets another link: then they are reset.
    case changeListener(String, ListenerChange)
    /// Closes a listener and resets its connections: `.done`.
    case deleteListener(String)
    /// Resets the connections of a listener: `.listener`.
    case closeConnections(String)
    /// Makes a link that listeners can share: `.link`.
    case createLink(LinkRequest)
    /// Changes the conditions of a link: `.link`. Connections and packets in flight stay.
    case changeLink(String, LinkChange)
    /// Removes a link that no listener uses: `.done`.
    case deleteLink(String)
    /// Plays a scenario's timeline on a link, from its beginning: `.link`. The link has the
    /// conditions of the interface that an app would use. At its end, or when the link is changed
    /// otherwise, the link keeps what it has.
    case startScenario(link: String, scenario: String)
    /// Stops it; the link keeps the conditions that it has now: `.link`.
    case stopScenario(link: String)
    /// Sends events to this controller from now on: `.done`. Counters come at this interval, in
    /// milliseconds, of at least 50; nil: no counters.
    case subscribe(countersEvery: Int?)
    /// Sends it no more events: `.done`.
    case unsubscribe
    /// This controller serves the API at an address, with the port that it got: `.done`.
    case serves(at: String)
}

/// A request and its number.
public struct ControlCall: Sendable, Hashable, Codable {
    /// Chosen by the controller.
    public var number: UInt64
    /// What is asked for.
    public var request: ProxyRequest

    /// Numbers a request.
    public init(_ number: UInt64, _ request: ProxyRequest) {
        (self.number, self.request) = (number, request)
    }
}

/// A listener to be opened.
public struct ListenerRequest: Sendable, Hashable, Codable {
    /// Its name, unique among listeners; nil: its address.
    public var name: String?
    /// What it does with connections.
    public var service: ListenerService
    /// Where it listens: `127.0.0.1:5433`, `[::1]:80`, `localhost:0` (any free port), `unix:/PATH`,
    /// and for a forwarding listener `udp:127.0.0.1:53`.
    public var address: String
    /// The link of its connections: the name of one made by `createLink`; nil: a link of its own,
    /// of the listener's name, which is deleted with it.
    public var link: String?
    /// What its own link is like; ignored if `link` names another. Nil: as the proxy was started.
    public var conditions: LinkChange?
    /// Whether it listens. A disabled listener has no socket: clients are refused.
    public var isEnabled: Bool
    /// The header that tells targets who the client is.
    public var proxyHeader: ProxyHeaderVersion?
    /// What is done to its streams beside what their packets meet.
    public var behaviours: [StreamBehaviour]

    /// Describes a listener.
    public init(
        name: String? = nil, service: ListenerService, address: String, link: String? = nil,
        conditions: LinkChange? = nil, isEnabled: Bool = true,
        proxyHeader: ProxyHeaderVersion? = nil, behaviours: [StreamBehaviour] = []
    ) {
        self.name = name
        self.service = service
        self.address = address
        self.link = link
        self.conditions = conditions
        self.isEnabled = isEnabled
        self.proxyHeader = proxyHeader
        self.behaviours = behaviours
    }
}

/// What a listener does with its connections.
public enum ListenerService: Sendable, Hashable, Codable {
    /// Connects them to a target: `db.example:5432`, `[fd00::1]:80`, `unix:/PATH`. The host's
    /// loopback is the host's. Names are resolved for each connection, over the link.
    case forward(to: String)
    /// SOCKS5 (RFC 1928).
    case socks
    /// An HTTP proxy: CONNECT, and requests with a whole URL.
    case http
}

/// The versions of HAProxy's PROXY protocol.
public enum ProxyHeaderVersion: String, Sendable, Hashable, Codable, CaseIterable {
    case v1, v2
}

/// A change of a listener; nil leaves a property as it is.
public struct ListenerChange: Sendable, Hashable, Codable {
    /// A new name.
    public var name: String?
    /// A new service; open connections keep their target.
    public var service: ListenerService?
    /// Another place to listen; open connections stay.
    public var address: String?
    /// Another link.
    public var link: String?
    /// Whether it listens.
    public var isEnabled: Bool?
    /// All behaviours from now on, also of open connections.
    public var behaviours: [StreamBehaviour]?

    /// Changes nothing.
    public init() {}
}

/// A link to be made.
public struct LinkRequest: Sendable, Hashable, Codable {
    /// Its name, unique among links.
    public var name: String
    /// What it is like.
    public var conditions: LinkChange
    /// The seed of its losses; nil: drawn.
    public var seed: UInt64?

    /// Describes a link.
    public init(name: String, conditions: LinkChange = LinkChange(), seed: UInt64? = nil) {
        self.name = name
        self.conditions = conditions
        self.seed = seed
    }
}

/// The conditions of a link from now on: a profile, changed by settings.
public struct LinkChange: Sendable, Hashable, Codable {
    /// The profile; nil: as before, and for a new link as the proxy was started.
    public var profile: String?
    /// All changes to the profile, each as in `--set`: `down.loss=2%`, `up.delay=100 ms`; nil: as
    /// before, or none if there is a new profile.
    public var settings: [String]?
    /// What the controller keeps with these conditions; the proxy does not read it. Nil: nothing.
    public var annotation: String?

    /// Describes conditions.
    public init(profile: String? = nil, settings: [String]? = nil, annotation: String? = nil) {
        self.profile = profile
        self.settings = settings
        self.annotation = annotation
    }
}
