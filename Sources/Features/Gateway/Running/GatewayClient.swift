import FoundationEssentials
import LinkModel
import LinuxKernel

/// Asks the gateway of the calling thread's network namespace.
public enum GatewayClient {
    private static let patience = Duration.seconds(30)

    /// Whether one runs.
    static var isRunning: Bool {
        guard
            let channel = try? NamespaceService.connect(to: GatewayService.name, patience: patience)
        else { return false }
        channel.close()
        return true
    }

    /// Its devices, by name. Requires no privilege.
    public static func devices() throws -> [DeviceReport] { try ask(.devices) }

    /// Gives a device something else, for some time or until it gets something else again; without a
    /// `choice`, what was chosen for it ends. Requires `CAP_NET_ADMIN`.
    ///
    /// - Parameter device: its name, its hardware address or one of its addresses.
    /// - Returns: the devices that are meant.
    public static func set(
        _ device: String, _ choice: NetworkChoice?, for duration: Duration?
    ) throws -> [DeviceReport] {
        guard Privilege.mayChangeNetwork else {
            throw GatewayError(
                "changing a device's network takes root (CAP_NET_ADMIN); run it with sudo",
                status: .noPermission)
        }
        return try ask(
            .set(device: device, choice: choice, seconds: duration.map { $0 / .seconds(1) }))
    }

    private static func ask(_ question: GatewayQuestion) throws -> [DeviceReport] {
        guard
            let channel = try NamespaceService.connect(to: GatewayService.name, patience: patience)
        else {
            throw GatewayError(
                "no gateway runs in this network namespace; start one with: sudo linkcond gateway "
                    + "-i INTERFACE --uplink INTERFACE")
        }
        defer { channel.close() }
        guard channel.peer?.isTrusted == true else {
            throw GatewayError(
                "what answers as the gateway is another user's process", status: .noPermission)
        }
        let mute = GatewayError("the gateway does not answer; try again", status: .failed)
        guard channel.send(Array(try JSONEncoder().encode(question))) else { throw mute }
        var devices: [DeviceReport] = []
        while let message = try channel.receive(atMost: GatewayAnswer.longest) {
            switch try JSONDecoder().decode(GatewayAnswer.self, from: Data(message.bytes)) {
            case .device(let device): devices.append(device)
            case .done: return devices
            case .refused(let reason, let status):
                throw GatewayError(reason, status: ExitStatus(rawValue: status) ?? .failed)
            }
        }
        throw mute
    }
}
