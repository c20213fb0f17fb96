import FoundationEssentials
import LinkModel
import LinuxKernel

/// What `gateway devices` and `gateway set` ask of a running gateway, one question for each
/// connection.
enum GatewayQuestion: Codable {
    case devices
    /// For all devices with this name or address; without a choice, what was chosen before ends.
    case set(device: String, choice: NetworkChoice?, seconds: Double?)

    static let longest = 64 * 1024
}

/// A part of the gateway's answer: any number of devices, and then one of the others.
enum GatewayAnswer: Codable {
    case device(DeviceReport)
    case done
    case refused(String, status: Int32)

    static let longest = 64 * 1024
}

extension MessageChannel {
    func send(_ answer: GatewayAnswer) -> Bool {
        guard let data = try? JSONEncoder().encode(answer) else { return false }
        return send(Array(data))
    }
}
