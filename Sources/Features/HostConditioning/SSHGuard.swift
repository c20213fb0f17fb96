public import DataPlane
import FoundationEssentials
import LinuxKernel
import Netlink

/// Keeps the caller's own SSH session out of the conditions.
///
/// The session is excepted on every interface that is asked for: its packets may cross several
/// (a VLAN and the card below it, both ends of a bridge), and where they do not cross, the
/// exception matches nothing.
public enum SSHGuard {
    /// Gives `selector` an exception for the session, if there is one in this network namespace.
    ///
    /// - Returns: what that means; nil without a session.
    public static func apply(
        to selector: inout TrafficSelector, environment: [String: String]
    ) throws -> String? {
        guard let value = SSHSession.variable(in: environment) else { return nil }
        let session: SSHSession
        do {
            session = try SSHSession(value)
        } catch {
            throw HostError(error.description)
        }
        guard try NetlinkSession().addresses().contains(session.server.address) else {
            guard !isHostNamespace else {
                throw HostError(
                    "your SSH session ends at \(session.server), which no interface has, so that "
                        + "it cannot be kept out of the conditions; --no-ssh-guard goes on without")
            }
            return "your SSH session does not cross this network namespace"
        }
        selector.exceptions.append(session.exception)
        return "your SSH session with \(session.client) is not conditioned; --no-ssh-guard does "
            + "that too"
    }

    /// Whether the calling thread is in the network namespace of the first process.
    private static var isHostNamespace: Bool {
        let namespaces = ["1", "thread-self"].map {
            try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/\($0)/ns/net")
        }
        return namespaces[0] != nil && namespaces[0] == namespaces[1]
    }
}
