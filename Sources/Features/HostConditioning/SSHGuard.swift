public import DataPlane
import LinuxKernel
import Netlink

/// Exempts the caller's own SSH session from the conditions.
///
/// The exception is made on every interface requested: the session's packets may cross several (a
/// VLAN and the device below it, both ends of a bridge). On others the exception matches nothing.
public enum SSHGuard {
    /// Adds an exception for the session to `selector`, if there is one in this network namespace.
    ///
    /// - Returns: A description of the exception; nil without a session.
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
        // Whoever repeats what the status shows has it already.
        if !selector.exceptions.contains(session.exception) {
            selector.exceptions.append(session.exception)
        }
        return "your SSH session with \(session.client) is not conditioned; --no-ssh-guard does "
            + "that too"
    }

    /// Whether the calling thread is in the network namespace of PID 1.
    private static var isHostNamespace: Bool {
        let namespaces = ["1", "thread-self"].map { SmallFile.target(ofLink: "/proc/\($0)/ns/net") }
        return namespaces[0] != nil && namespaces[0] == namespaces[1]
    }
}
