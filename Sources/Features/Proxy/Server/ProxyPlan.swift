public import LinkModel
public import LinuxKernel
public import ProxyControl
public import ProxyProtocols
public import SystemPackage

/// What `proxy` is asked for.
public struct ProxyPlan: Sendable {
    /// The profile of links that name no other.
    public var profile: String
    /// The changes to it, as in `--set`.
    public var settings: [String] = []
    /// The listeners that forward.
    public var forwards: [ForwardArgument] = []
    /// The listeners for SOCKS5.
    public var socks: [ListenAddress] = []
    /// The listeners for HTTP.
    public var http: [ListenAddress] = []
    /// Whether they share one link.
    public var isShared = false
    /// The header by which targets of forwards learn who the client is.
    public var proxyHeader: ProxyHeaderVersion?
    /// The seed of the first link; others count on from it. Nil: drawn.
    public var seed: UInt64?
    /// The requested data plane.
    public var backend = Backend.auto
    /// Where the HTTP API is served; nil: not.
    public var api: String?
    /// What the program that serves the API gets in addition.
    public var apiArguments: [String] = []
    /// Connections to controllers that the caller has made.
    public var controllers: [FileDescriptor] = []
    /// A command that runs beside the proxy, which ends with it; empty: until a signal.
    public var command: [RawText] = []

    /// Asks for links of a profile.
    public init(profile: String) { self.profile = profile }

    /// Whether links may change while they are there.
    var isControllable: Bool { api != nil || !controllers.isEmpty }

    /// The name of the link of `--shared`.
    static let sharedLink = "shared"
}

/// Who is told what happens to a proxy.
public protocol ProxyListener {
    /// Everything listens.
    func isReady(_ state: ProxyState)
    /// Something that the user should see.
    func note(_ text: String)
}

/// Why a proxy does not run.
public struct ProxyError: ErrorWithExitStatus, Hashable, CustomStringConvertible {
    /// The exit code.
    public let status: ExitStatus
    /// One sentence with the remedy.
    public let description: String

    init(_ description: String, status: ExitStatus = .sandbox) {
        (self.description, self.status) = (description, status)
    }

    init(_ error: ControlError) {
        let status: ExitStatus =
            switch error.reason {
            case .badField, .nameTaken, .badCall, .noSuchLink, .noSuchListener, .linkInUse: .usage
            case .notPermitted: .noPermission
            case .addressInUse, .addressNotAvailable: .failed
            case .failed: .sandbox
            }
        self.init(error.description, status: status)
    }
}
