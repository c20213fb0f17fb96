public import LinuxKernel
public import SystemPackage

extension StreamSocket {
    /// Starts to connect in the far side's namespace itself, in the way of the app's connections: by the
    /// relay where that carries them.
    ///
    /// Call this in a thread with all privileges there. Without an uplink, or to a server inside the
    /// sandbox, it connects as usual.
    ///
    /// - Parameter source: one of the far side's own addresses.
    public init(
        fromFarSideTo endpoint: Endpoint, at source: IPAddress, _ network: FarNetwork?,
        unsentLimit: Int
    ) throws(Errno) {
        let isRelayed = network?.relays(trafficTo: endpoint.address, .everything) == true
        try self.init(
            connectingTo: endpoint, from: source, mark: isRelayed ? RelayRules.mark : 0,
            unsentLimit: unsentLimit)
    }
}
