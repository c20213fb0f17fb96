public import LinkModel
public import LinuxKernel

/// What a gateway is started with.
public struct GatewayRequest: Sendable {
    /// Its interfaces and addresses.
    public var network: GatewayNetwork
    /// What the devices get.
    public var configuration: GatewayConfiguration
    /// The Wi-Fi network to make; nil where something else makes it, or there is a cable.
    public var wireless: WirelessNetwork?
    /// The servers that are asked for names; empty: those of the host.
    public var nameServers: [IPAddress] = []
    /// The data plane.
    public var backend = Backend.auto
    /// The environment, for the directory of state files.
    public var environment: [String: String]

    /// Makes a request.
    public init(
        _ network: GatewayNetwork, _ configuration: GatewayConfiguration,
        environment: [String: String]
    ) {
        self.network = network
        self.configuration = configuration
        self.environment = environment
    }
}
