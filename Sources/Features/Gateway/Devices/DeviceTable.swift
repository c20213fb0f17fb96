import LinuxKernel

/// All devices that were ever behind the gateway, by their hardware addresses.
///
/// Names and addresses of IPv4 come from dnsmasq's leases, those of IPv6 from the kernel's table of
/// neighbours: devices choose them by themselves, change them, and tell nobody. Only addresses of
/// the gateway's own networks count.
struct DeviceTable {
    /// An entry of the kernel's table of neighbours.
    struct Neighbour: Sendable, Hashable {
        var hardware: HardwareAddress
        var address: IPAddress
        /// Whether it has answered when it was asked last.
        var isThere = true
    }

    private(set) var devices: [HardwareAddress: Device] = [:]
    private let network: GatewayNetwork
    /// Those of the latest update: a device has an address until another one gets it.
    private var owners: [IPAddress: HardwareAddress] = [:]

    /// A device with more of them at once is broken or hostile. The newest ones count.
    static let mostAddresses = 12
    /// The kernel's table of neighbours holds as many.
    static let mostDevices = 1024

    init(_ network: GatewayNetwork) {
        self.network = network
    }

    /// All of them, by name and hardware address.
    var all: [Device] {
        devices.values.sorted {
            ($0.title.lowercased(), $0.hardware) < ($1.title.lowercased(), $1.hardware)
        }
    }

    /// The device with an address.
    func device(at address: IPAddress) -> Device? { owners[address].flatMap { devices[$0] } }

    /// Those that `key` means.
    func devices(named key: DeviceKey) -> [Device] { all.filter(key.matches) }

    /// Changes a device.
    mutating func change(_ hardware: HardwareAddress, _ body: (inout Device) -> Void) {
        guard var device = devices[hardware] else { return }
        body(&device)
        devices[hardware] = device
    }

    /// Takes in what dnsmasq and the kernel know.
    ///
    /// - Parameters:
    ///   - time: the time in seconds since 1970.
    ///   - now: the time of `KernelClock.monotonic`.
    mutating func update(
        leases: [Lease], neighbours: [Neighbour], time: Int64, now: Duration
    ) {
        // The newest come first.
        let leases = leases.filter { !$0.hasEnded(at: time) && network.contains($0.address) }
            .sorted { ($0.expiry == 0 ? .max : $0.expiry) > ($1.expiry == 0 ? .max : $1.expiry) }
        let neighbours = neighbours.filter { network.contains($0.address) }
        // An address may have a lease and a neighbour of another device that took it by itself: the
        // packets come from that one.
        var owners: [IPAddress: HardwareAddress] = [:]
        for lease in leases.reversed() { owners[lease.address] = lease.hardware }
        for neighbour in neighbours where neighbour.isThere || owners[neighbour.address] == nil {
            owners[neighbour.address] = neighbour.hardware
        }
        let present =
            Set(leases.map(\.hardware)).union(neighbours.filter(\.isThere).map(\.hardware))
        for hardware in owners.values where devices[hardware] == nil {
            guard devices.count < Self.mostDevices else { break }
            devices[hardware] = Device(hardware, at: now)
        }
        for lease in leases.reversed() {
            guard let name = lease.name else { continue }
            devices[lease.hardware]?.name = name
        }
        for hardware in devices.keys {
            guard var device = devices[hardware] else { continue }
            let isPresent = present.contains(hardware)
            if isPresent, !device.isPresent { device.arrival = now }
            device.isPresent = isPresent
            device.addresses = addresses(
                of: device, owners,
                leased: leases.filter { $0.hardware == hardware }.map(\.address))
            devices[hardware] = device
        }
        self.owners = owners
    }

    /// Those with a lease come first. Known ones stay in their order, so that nothing changes without
    /// need.
    private func addresses(
        of device: Device, _ owners: [IPAddress: HardwareAddress], leased: [IPAddress]
    ) -> [IPAddress] {
        let found = Set(owners.filter { $0.value == device.hardware }.keys)
        let current = leased.filter(found.contains)
        let known =
            current + device.addresses.filter { found.contains($0) && !current.contains($0) }
        let new = found.subtracting(known).sorted { "\($0)" < "\($1)" }
        let all = known + new
        return Array((all.filter { !$0.isIPv6 } + all.filter(\.isIPv6)).suffix(Self.mostAddresses))
    }
}
