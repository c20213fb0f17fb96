import LinuxKernel
import ProxyProtocols
import SystemPackage
import Uplink

/// Something that waits for events of descriptors.
protocol EventTarget: AnyObject {
    /// One of its descriptors is ready.
    func handle(_ event: EventQueue.Event, at now: Duration)
}

/// What all services of one loop share.
final class EndpointContext {
    let events: TargetedEvents<any EventTarget>
    var timers = TimerQueue()
    let room = PumpRoom()
    var datagramRoom = DatagramRoom()
    /// Connections that had used up their turn.
    private var queued: [StreamConnection] = []
    /// The host's loopback as it is reached from here; empty: it is this loop's own.
    let hostAddresses: [IPAddress]
    private let spare = SpareDescriptor()
    /// How many descriptors connections and sessions may use, and do.
    private let descriptorLimit: Int
    private var descriptors = 0
    private(set) var hasRefused = false
    private let start = ContinuousClock.now

    /// File descriptors kept free: names, pipes, listeners to come.
    private static let reserved = 64

    init(hostAddresses: [IPAddress]) throws(Errno) {
        events = try TargetedEvents()
        self.hostAddresses = hostAddresses
        let limit = try DescriptorLimit.raise() - DescriptorLimit.inUse
        descriptorLimit = max(8, limit - min(Self.reserved, limit / 4))
    }

    var now: Duration { ContinuousClock.now - start }

    /// Whether it serves connections of the host's own, without a link.
    var isOnHost: Bool { hostAddresses.isEmpty }

    // MARK: Descriptors

    /// Reserves descriptors; false if there are too few.
    func reserveDescriptors(_ count: Int) -> Bool {
        guard descriptors + count <= descriptorLimit else { return false }
        descriptors += count
        return true
    }

    func releaseDescriptors(_ count: Int) { descriptors -= count }

    /// Notes that a client was refused for lack of descriptors; true the first time.
    func noteRefusal() -> Bool {
        defer { hasRefused = true }
        return !hasRefused
    }

    /// Calls `body` while one more descriptor is available.
    func withSpareDescriptor(_ body: () -> Bool) -> Bool { spare.lend(to: body) }

    // MARK: Turns

    /// Gives a connection another turn after the others.
    func queue(_ connection: StreamConnection) { queued.append(connection) }

    /// The connections whose turn it is.
    func takeQueued() -> [StreamConnection] {
        defer { queued = [] }
        return queued
    }

    /// How long the loop may wait.
    func timeout(at now: Duration, atMost most: Duration?) -> Duration? {
        guard queued.isEmpty else { return .zero }
        let next = timers.next.map { max(.zero, $0 - now) }
        // The kernel waits for whole milliseconds, which is too long for short pauses.
        if let next, next < .milliseconds(1) { return .zero }
        return [next.map { $0 - .milliseconds(1) }, most].compactMap(\.self).min()
    }

    // MARK: Addresses

    /// The endpoints by which to reach one that the user has named.
    func reachable(_ endpoint: Endpoint) -> [Endpoint] {
        // Otherwise the kernel would look for a mapped address of the loopback here.
        let endpoint = Endpoint(endpoint.address.unmapped, port: endpoint.port)
        guard !isOnHost, TargetAddress.isThisHost(endpoint.address) else { return [endpoint] }
        let sameFamily = hostAddresses.filter { $0.isIPv6 == endpoint.address.isIPv6 }
        return (sameFamily.isEmpty ? hostAddresses : sameFamily).map {
            Endpoint($0, port: endpoint.port)
        }
    }

    /// Those of the host's loopback.
    func loopback(port: UInt16) -> [Endpoint] {
        let addresses =
            isOnHost
            ? [IPAddress(ipv4: 0x7f00_0001), IPAddress(ipv6High: 0, low: 1)] : hostAddresses
        return addresses.map { Endpoint($0, port: port) }
    }

    /// The endpoint as the user would name it.
    func named(_ endpoint: Endpoint) -> Endpoint {
        guard hostAddresses.contains(endpoint.address) else { return endpoint }
        let loopback =
            endpoint.address.isIPv6
            ? IPAddress(ipv6High: 0, low: 1) : IPAddress(ipv4: 0x7f00_0001)
        return Endpoint(loopback, port: endpoint.port)
    }
}
