import ArgumentParser
import Conditioner
import FoundationEssentials
import LinuxKernel
import Netlink

/// The option that keeps the caller's own SSH session out of the conditions.
///
/// The session is excepted on every interface that is asked for: its packets may cross several
/// (a VLAN and the card below it, both ends of a bridge), and where they do not cross, the
/// exception matches nothing.
struct SSHGuardOptions: ParsableArguments {
    @Flag(
        name: .customLong("no-ssh-guard"),
        help: "Condition also the SSH session in which the command is given.")
    var noSSHGuard = false

    /// Gives `selector` an exception for the session, if that is wanted and there is one in this
    /// network namespace.
    func apply(to selector: inout TrafficSelector, _ console: Console) throws {
        guard !noSSHGuard else { return }
        let environment = ProcessInfo.processInfo.environment
        guard let value = SSHSession.variable(in: environment) else { return }
        let session: SSHSession
        do {
            session = try SSHSession(value)
        } catch {
            throw UsageError(description: error.description)
        }
        guard try NetlinkSession().addresses().contains(session.server.address) else {
            guard !Self.isHostNamespace else {
                throw UsageError(
                    description: "your SSH session ends at \(session.server), which no interface "
                        + "has, so that it cannot be kept out of the conditions; --no-ssh-guard "
                        + "goes on without")
            }
            console.explain("your SSH session does not cross this network namespace")
            return
        }
        selector.exceptions.append(session.exception)
        console.explain(
            "your SSH session with \(session.client) is not conditioned; --no-ssh-guard does that "
                + "too")
    }

    /// Whether the calling thread is in the network namespace of the first process.
    private static var isHostNamespace: Bool {
        let namespaces = ["1", "thread-self"].map {
            try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/\($0)/ns/net")
        }
        return namespaces[0] != nil && namespaces[0] == namespaces[1]
    }
}
