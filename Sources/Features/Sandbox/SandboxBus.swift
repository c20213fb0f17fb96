import FoundationEssentials
import LinuxKernel
import SystemPackage

/// The message bus of a sandbox, which a helper program serves (`linkcond-bus`).
///
/// The helper starts the bus and answers on it for NetworkManager, and if asked for the desktop
/// portal, with what the kernel knows of the command's network. It runs where the command runs and
/// as whom the command runs, since a bus asks the kernel who its clients are.
public struct SandboxBus: Sendable, Hashable {
    /// The helper's name.
    public static let helper = "linkcond-bus"

    /// Where the helper is.
    let path: String
    /// Whether it is also the bus of the session, with the portal.
    let hasPortal: Bool
    /// Whether the run fails if there can be no bus.
    let isRequired: Bool

    private static let patience = Duration.seconds(30)

    /// Asks for a bus, with a helper that lies beside this program.
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

    /// Whether the host has a system bus, which the command does not see then.
    public static var hidesThatOfHost: Bool {
        FileManager.default.fileExists(atPath: "/run/dbus/system_bus_socket")
    }

    /// What a started bus is to others.
    struct Running {
        /// The helper.
        let process: Int32
        /// What the command needs in its environment.
        let variables: [String: String]
    }

    /// Starts it, and waits until programs may be started that look for it.
    func start(
        in network: FileDescriptor, as identity: Program.Identity?
    ) throws(SandboxError) -> Running {
        do {
            var voice = try Pipe()
            let null = try FileDescriptor.open(
                FilePath("/dev/null"), .readOnly, options: .closeOnExec)
            defer { try? null.close() }
            var program = Program(
                ([path, "serve"] + (hasPortal ? ["--portal"] : [])).map { RawText($0) })
            program.network = network
            program.identity = identity
            // What the scenario does to the app is not for it.
            program.startsSession = true
            program.streams = [null, voice.writer, voice.writer]
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

    /// Reads `NAME=VALUE` line by line, up to `ready`. Anything else says what is wrong.
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
