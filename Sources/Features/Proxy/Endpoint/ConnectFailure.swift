import LinuxKernel
import ProxyProtocols
import SystemPackage

/// Why a target was not reached.
struct ConnectFailure: Error, Hashable, CustomStringConvertible {
    /// The target as the user has named it, and the reason.
    let description: String
    /// How SOCKS says it.
    let reply: SOCKSReply
    /// How HTTP says it.
    let status: Int

    init(_ target: TargetAddress, _ reason: Errno) {
        let (text, reply): (String, SOCKSReply) =
            switch reason {
            case .connectionRefused: ("it refuses the connection", .connectionRefused)
            case .connectionReset: ("it resets the connection", .connectionRefused)
            case .networkUnreachable, .addressNotAvailable, .addressFamilyNotSupported:
                ("its network is unreachable", .networkUnreachable)
            case .noRouteToHost, .hostIsDown: ("it is unreachable", .hostUnreachable)
            case .timedOut: ("it does not answer", .timeExpired)
            case .permissionDenied, .notPermitted: ("it is prohibited", .notAllowed)
            case .noSuchFileOrDirectory: ("there is no such socket", .connectionRefused)
            default: ("\(reason)", .generalFailure)
            }
        description = "\(target): \(text)"
        self.reply = reply
        status = reason == .timedOut ? 504 : 502
    }

    /// A name that leads to no address.
    init(unresolved target: TargetAddress, _ reason: String, isSilent: Bool) {
        description = "\(target): \(reason)"
        reply = .hostUnreachable
        status = isSilent ? 504 : 502
    }

    static let noDescriptors = ConnectFailure(
        description: "no descriptors are left; allow more with ulimit -n", .generalFailure, 503)

    private init(description: String, _ reply: SOCKSReply, _ status: Int) {
        (self.description, self.reply, self.status) = (description, reply, status)
    }
}
