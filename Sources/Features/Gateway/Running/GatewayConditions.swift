import DataPlane
import DataPlanes
import LinkModel
import LinuxKernel

/// The conditions of the devices on the inner interface: for each device one set with a name of its
/// own that chooses its addresses.
struct GatewayConditions {
    /// What a device is to have.
    struct Target: Hashable {
        var conditions: LinkConditions
        var title: String
        var addresses: [IPAddress]
    }

    private let network: GatewayNetwork
    private let planes: DataPlanes
    private let backend: Backend
    private var standing: [HardwareAddress: Target] = [:]
    /// Why devices do not have what they are to have, and when to try again.
    private(set) var problems: [HardwareAddress: String] = [:]
    private var failed: [HardwareAddress: (target: Target, retry: Duration)] = [:]

    private static let prefix = "gateway-"
    private static let retryInterval = Duration.seconds(5)

    init(_ request: GatewayRequest) throws {
        network = request.network
        planes = DataPlanes(environment: request.environment)
        backend = try planes.backend(
            request.backend, forAll: request.configuration.choices.compactMap(\.conditions))
    }

    /// The name of a device's conditions.
    static func name(of device: HardwareAddress) -> String { prefix + device.word }

    /// The traffic of a device. What it needs to stay in the network and to open the page passes,
    /// whatever its conditions are.
    static func selector(
        for addresses: [IPAddress], in network: GatewayNetwork
    ) throws(SelectorError) -> TrafficSelector {
        var exceptions = ["from-port=67,protocol=udp"]
        exceptions += network.addresses.map {
            "from=\($0),from-port=\(PageServer.port),protocol=tcp"
        }
        return try TrafficSelector(to: addresses.map(\.description), exceptions: exceptions)
    }

    /// Gives the devices what they are to have, and nothing to others.
    mutating func bring(_ targets: [HardwareAddress: Target], now: Duration) {
        for device in standing.keys where targets[device] == nil { clear(device) }
        problems = problems.filter { targets[$0.key] != nil }
        failed = failed.filter { targets[$0.key] != nil }
        for (device, target) in targets.sorted(by: { $0.key < $1.key })
        where standing[device] != target {
            if let failure = failed[device], failure.target == target, failure.retry > now {
                continue
            }
            do {
                try apply(target, to: device)
                standing[device] = target
                problems[device] = nil
                failed[device] = nil
            } catch {
                problems[device] = "\(error)"
                failed[device] = (target, now + Self.retryInterval)
            }
        }
    }

    private func apply(_ target: Target, to device: HardwareAddress) throws {
        var request = ApplyRequest(
            conditions: target.conditions, profile: target.title, name: Self.name(of: device),
            selector: try Self.selector(for: target.addresses, in: network),
            interfaces: [network.inner], replaces: true,
            now: KernelClock.realtime.components.seconds)
        request.facesApps = true
        _ = try planes.apply(request, backend: backend)
    }

    private mutating func clear(_ device: HardwareAddress) {
        // Somebody else may have cleared them.
        _ = try? planes.clear([network.inner], conditions: Self.name(of: device))
        standing[device] = nil
    }

    /// Their state, by device. Those that are gone or broken are made anew by the next `bring`.
    mutating func check() throws -> [HardwareAddress: ConditionedInterface] {
        let found = try Self.all(planes, on: network.inner)
        var states: [HardwareAddress: ConditionedInterface] = [:]
        for device in standing.keys {
            let state = found.first { $0.name == Self.name(of: device) }
            states[device] = state
            // Conditions that are too late are still there.
            if state == nil || state?.directions.count != Direction.allCases.count {
                standing[device] = nil
            }
        }
        return states
    }

    private static func all(
        _ planes: DataPlanes, on interface: String
    ) throws -> [ConditionedInterface] {
        try planes.status().filter { $0.interface == interface && $0.name.hasPrefix(prefix) }
    }

    /// Removes the conditions of all devices.
    static func clearAll(on interface: String, _ environment: [String: String]) throws {
        let planes = DataPlanes(environment: environment)
        for name in Set(try all(planes, on: interface).map(\.name)) {
            _ = try? planes.clear([interface], conditions: name)
        }
    }
}
