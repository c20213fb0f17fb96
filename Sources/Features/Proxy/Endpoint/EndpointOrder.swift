import LinuxKernel
import ProxyControl

/// What the proxy tells the process at the app's end of a link.
enum EndpointOrder: Sendable, Hashable, Codable {
    /// Serve these sockets, which come with the message. A service that is there gets them in place
    /// of its own.
    case serve(ServicePlan)
    /// A service has another plan from now on, also for its connections where that is possible.
    case change(ServicePlan)
    /// Listen no more; connections stay.
    case stopListening(Int)
    /// Reset all connections of a service.
    case resetConnections(Int)
    /// Stop listening and reset all connections.
    case end(Int)
}

/// What to do with the connections of a listener.
struct ServicePlan: Sendable, Hashable, Codable {
    /// What a service does.
    enum Kind: Sendable, Hashable, Codable {
        /// Connects clients to a target.
        case forward(to: String)
        /// The same for datagrams.
        case forwardDatagrams(to: String)
        case socks
        case http
        /// Connects clients that know the token to a Unix socket of this host.
        case door(path: String, token: [UInt8])
    }

    /// The listener's number, never used again.
    var number: Int
    /// What it does.
    var kind: Kind
    /// Whether all its clients are on this host.
    var isWithinHost = true
    /// Whether its sockets are Unix sockets.
    var isLocal = false
    /// The header by which targets learn who the client is.
    var proxyHeader: ProxyHeaderVersion?
    /// What targets get before anything else.
    var preface: [UInt8] = []
    /// What is done to streams.
    var behaviours: [StreamBehaviour] = []
}

/// What the process at the app's end of a link tells the proxy.
enum EndpointReport: Sendable, Hashable, Codable {
    /// It waits for orders.
    case ready
    /// It serves a listener no more: clients that came later are not its own.
    case ended(Int)
    /// The counters of services by number, where they have changed.
    case counters([Int: ListenerCounters])
    /// Something that users should know.
    case note(String)
}
