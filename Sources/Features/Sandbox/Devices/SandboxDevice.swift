import LinkModel
public import LinuxKernel
import Netlink
public import Scenarios

/// One of several apps in a sandbox, each on a device of its own: a network with its own
/// interfaces. All devices reach the same far side, and not one another.
public struct SandboxDevice: Sendable, Hashable {
    /// Its name; nil if it is the only one.
    public var name: String?
    /// The names of its interfaces, most preferred first.
    public var interfaces: [String]
    /// The command: a program and its arguments.
    public var command: [RawText]
    /// How the command is started.
    public var launch: LaunchOptions
    /// Whether it runs from the start; otherwise the scenario starts it.
    public var isRunning: Bool
    /// Environment variables of the command, in addition to the request's.
    public var variables: [String: String] = [:]

    /// Describes a device.
    public init(
        name: String? = nil, interfaces: [String], command: [RawText],
        launch: LaunchOptions = .init(), isRunning: Bool = true
    ) {
        self.name = name
        self.interfaces = interfaces
        self.command = command
        self.launch = launch
        self.isRunning = isRunning
    }
}

extension SandboxRequest {
    /// The devices; at least one.
    var allDevices: [SandboxDevice] {
        guard devices.isEmpty else { return devices }
        return [SandboxDevice(interfaces: interfaces.map(\.name), command: command)]
    }

    /// The wires of the interfaces, in order.
    func wires(of network: SandboxNetwork) -> [Wire] {
        let devices = allDevices
        return network.wires(behind: interfaces.map(\.name)).map { wire in
            var wire = wire
            wire.device = devices.firstIndex { $0.interfaces.contains(wire.app.name) } ?? 0
            wire.portal = network.portal
            wire.hasNameServer = uplink != .none
            wire.leadsToIPv6 = uplink == .none || network.leadsToIPv6
            return wire
        }
    }

    /// Why the request cannot be met with several devices; nil if it can.
    var obstacleOfDevices: SandboxError? {
        guard devices.count > 1 else { return nil }
        let refused =
            conditionsLoopback
            ? ("--loopback", "conditions the loopback of one app")
            : publishedPorts.isEmpty ? nil : ("--publish", "leads to the servers of one app")
        return refused.map { option, reason in
            SandboxError(
                "\(option) \(reason), but the scenario has several devices "
                    + "(\(devices.compactMap(\.name).joined(separator: ", "))); leave it out",
                status: .usage)
        }
    }
}
