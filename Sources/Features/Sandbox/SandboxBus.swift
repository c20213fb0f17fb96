import FoundationEssentials
import LinuxKernel
import SystemPackage

/// The message bus of a sandbox, served by a helper program (`linkcond-bus`).
///
/// The helper starts the bus and answers for NetworkManager, and if requested for the desktop
/// portal, with the kernel's state of the command's network. It runs in the same namespaces and as
/// the same user as the command, since a bus asks the kernel for its clients' identities.
public struct SandboxBus: Sendable, Hashable {
    /// The helper's name.
    public static let helper = "linkcond-bus"

    /// The helper's path.
    let path: String
    /// Whether it is also the session bus, with the portal.
    let hasPortal: Bool
    /// Whether the run fails without a bus.
    let isRequired: Bool

    private static let patience = Duration.seconds(30)

    /// Requests a bus with the helper next to this program.
    public init(hasPortal: Bool, isRequired: Bool) throws(SandboxError) {
        guard let path = OwnProgram.neighbour(Self.helper) else {
            throw SandboxError(
                "\(Self.helper), which serves D-Bus, is not next to linkcond; build it with "
                    + "Scripts/linkcond and install both in one directory")
        }
        self.path = path
        self.hasPortal = hasPortal
        self.isRequired = isRequired
    }

    /// Whether the host has a system bus, which is then hidden from the command.
    public static var hidesThatOfHost: Bool {
        FileManager.default.fileExists(atPath: "/run/dbus/system_bus_socket")
    }

    /// A started bus.
    struct Running {
        /// The helper's process ID.
        let process: Int32
        /// Environment variables that the command needs.
        let variables: [String: String]
    }

    /// Starts it and waits until programs can connect.
    func start(
        in network: FileDescriptor, as identity: Program.Identity?
    ) throws(SandboxError) -> Running {
        do {
            var voice = try Pipe()
            var program = Program(path, ["serve"] + (hasPortal ? ["--portal"] : []))
            program.network = network
            program.identity = identity
            // A session of its own, so that the scenario's actions on the app do not affect it.
            program.startsSession = true
            program.streams = [Program.nothing, voice.writer, voice.writer]
            let process = try program.start()
            voice.closeWriter()
            return Running(process: process, variables: try Self.variables(saidBy: voice))
        } catch let error as SandboxError {
            throw error
        } catch let error as Program.Failure {
            throw SandboxError("\(path): cannot be started: \(error.errno)")
        } catch {
            throw SandboxError("\(path): cannot be started: \(error)")
        }
    }

    /// Parses lines of `NAME=VALUE` up to `ready`. Any other line is an error message.
    private static func variables(saidBy voice: borrowing Pipe) throws(SandboxError) -> [String:
        String]
    {
        var lines: [String] = []
        while true {
            let (line, isComplete) = voice.read(upTo: "\n", within: patience)
            if line == "ready" { break }
            guard isComplete, !line.isEmpty else {
                let said = (lines + [line]).filter { !$0.isEmpty }.joined(separator: "; ")
                throw SandboxError(
                    "the sandbox's D-Bus did not start: "
                        + (said.isEmpty ? "no answer from \(helper)" : said))
            }
            lines.append(line)
        }
        let pairs = lines.compactMap { line -> (String, String)? in
            let parts = line.split(separator: "=", maxSplits: 1)
            return parts.count == 2 ? (String(parts[0]), String(parts[1])) : nil
        }
        return Dictionary(pairs) { $1 }
    }
}
