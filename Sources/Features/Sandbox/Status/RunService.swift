public import DataPlane
import FoundationEssentials
import LinkModel
import LinkUnits
import LinuxKernel
import SystemPackage

/// Tells processes in the network of a run's command what the run is: its links, until when, and
/// how late they are.
///
/// Theory of operation. The service has an abstract name in the command's network namespace, where
/// `linkcond status`, `path` and `verify` find it, also with `--pid` of a process there. It is
/// served by the main thread of the first process, which alone knows the links. A client sends
/// nothing and so cannot block it: it gets an answer a moment after it has connected, since a rate
/// is a difference.
public final class RunService {
    private let request: SandboxRequest
    private let device: Int
    private let socket: ServiceSocket
    private let beginning: Int64
    private let limit: TimeLimit?
    /// The clients that wait for an answer, and what was on the links when they connected.
    private var clients: [MessageChannel] = []
    private var before: (time: Duration, interfaces: [ConditionedInterface]) = (.zero, [])

    static let name = "linkcond-run"
    /// How long a rate is measured.
    private static let measuring = Duration.milliseconds(250)
    /// The most clients that get the same answer; others wait for the next one.
    private static let mostClients = 16
    /// How long a client waits.
    private static let patience = Duration.seconds(5)

    /// Serves the network namespace of a device; nil if another process has the name there.
    init?(_ request: SandboxRequest, device: Int, in namespace: FileDescriptor) {
        guard
            let socket = try? NetworkNamespace.visit(
                namespace,
                { () throws(KernelError) -> ServiceSocket in
                    do throws(Errno) {
                        return try ServiceSocket(name: Self.name)
                    } catch {
                        throw KernelError(.create, subject: "@\(Self.name)", errno: error)
                    }
                })
        else { return nil }
        self.socket = socket
        self.request = request
        self.device = device
        beginning = Int64(Date().timeIntervalSince1970)
        limit = request.timeout.map {
            TimeLimit(ends: (KernelClock.boot + $0).components.seconds, process: nil)
        }
    }

    /// What is readable when a client connects; empty while others wait, whose turn comes first.
    var wakeUps: [FileDescriptor] { clients.isEmpty ? [socket.descriptor] : [] }

    /// Accepts clients and answers those that have waited long enough; returns when to call again,
    /// nil: when one connects.
    func turn(_ links: SandboxLinks) -> Duration? {
        let now = KernelClock.monotonic
        if !clients.isEmpty, now - before.time >= Self.measuring { answer(links, at: now) }
        if clients.isEmpty {
            while clients.count < Self.mostClients, let client = socket.accept() {
                clients.append(client)
            }
            guard !clients.isEmpty else { return nil }
            before = (now, status(links))
        }
        return max(.zero, before.time + Self.measuring - now)
    }

    private func answer(_ links: SandboxLinks, at now: Duration) {
        let data = try? JSONEncoder().encode(withRates(status(links), at: now))
        for client in clients {
            if let data { client.send(Array(data)) }
            client.close()
        }
        clients = []
    }

    private func status(_ links: SandboxLinks) -> [ConditionedInterface] {
        links.status(of: request, device: device, since: beginning, limit: limit)
    }

    private func withRates(
        _ interfaces: [ConditionedInterface], at now: Duration
    ) -> [ConditionedInterface] {
        let seconds = (now - before.time) / .seconds(1)
        return interfaces.map { interface in
            var interface = interface
            let former = before.interfaces.first { $0.index == interface.index }
            for (direction, way) in interface.directions {
                let passed = way.counters.bytes.bytes.subtractingReportingOverflow(
                    former?.directions[direction]?.counters.bytes.bytes ?? 0)
                let bits = passed.overflow ? 0 : Double(passed.partialValue) * 8
                interface.directions[direction]?.counters.bitsPerSecond = UInt64(bits / seconds)
            }
            return interface
        }
    }

    /// The links of the run in whose network the calling thread is; empty if that is not a run's.
    ///
    /// - Parameter isChosen: Whether the user has chosen the network. In its own, a process
    ///   believes only root and its own user.
    public static func links(isChosen: Bool) -> [ConditionedInterface] {
        guard let channel = try? ServiceSocket.connect(to: name, patience: patience) else {
            return []
        }
        defer { channel.close() }
        guard isChosen || channel.peer?.isTrusted == true, let bytes = channel.receive() else {
            return []
        }
        return (try? JSONDecoder().decode([ConditionedInterface].self, from: Data(bytes))) ?? []
    }
}
