public import LinkModel

/// A device and what it has, for `gateway devices`. The keys are a stable interface: see
/// `Profiles/schema/gateway-devices.schema.json`.
public struct DeviceReport: Sendable, Hashable, Codable {
    /// One direction of a device's link.
    public struct Way: Sendable, Hashable, Codable {
        /// Its conditions.
        public var conditions: DirectionConditions
        /// What has passed; nil if nobody counts.
        public var counters: DirectionCounters?
    }

    /// The name by which it asked for an address.
    public var name: String?
    /// Its hardware address.
    public var hardware: HardwareAddress
    /// Its addresses, that of IPv4 first.
    public var addresses: [String]
    /// Whether it is there, as far as that can be known.
    public var isPresent: Bool
    /// The name of what it has.
    public var profile: String
    /// Who decided: `default`, `settings`, `schedule`, `page` or `command`.
    public var reason: String
    /// When that ends, in seconds since 1970, if it does.
    public var until: Int64?
    /// Whether it is told that the network costs money.
    public var isExpensive: Bool
    /// From the network to the device; nil without conditions.
    public var down: Way?
    /// From the device to the network.
    public var up: Way?
    /// Why it does not have that.
    public var problem: String?
}
