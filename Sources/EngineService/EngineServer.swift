import Glibc
import LinkModel
import LinuxKernel
import Netlink
import SystemPackage

/// The engine's process: it conditions interfaces of its network namespace until the last one is
/// cleared.
///
/// Theory of operation. `apply` starts it, apart from the caller and its terminal (`EngineClient`).
/// It listens on a socket with an abstract name, which belongs to the namespace and vanishes with
/// the process; so there is one engine in a namespace, and whoever may change the network there
/// finds it. Each conditioned interface is an `Appliance`: for each direction a wire on which its
/// packets come (`Detour`), and a loop that carries them over the emulated link and back. The
/// kernel takes the packets by hooks that let them go their ordinary way when this process dies
/// (`Hooks`), and its parent sees to it that it does when it stands still (`Guardian`). The wires
/// stay behind then; `EngineLeftovers` finds them.
public enum EngineServer {
    /// The name of the socket.
    static let name = "linkcond-engine"
    /// The words of the command line that run it.
    static let arguments = ["engine"]

    /// What it reports when it serves, or somebody else does.
    static let readyReport = "ready"

    private static let roundInterval = Duration.milliseconds(500)
    private static let tickInterval = Duration.seconds(1)
    private static let lookInterval = Duration.seconds(3)
    /// How long it waits for somebody to have it do anything.
    private static let idleLimit = Duration.seconds(10)
    /// How long it may take to look after its loops.
    private static let roundLimit = Duration.seconds(3)
    /// How long it may take to do what somebody asks for.
    private static let workLimit = Duration.seconds(60)

    /// Serves until there is nothing more to do. For a process that has a single thread, started
    /// by an `EngineClient`.
    public static func run() -> Never {
        DetachedProgram.keepReportFromChildren()
        do {
            let beats = try Guardian.guardCopy()
            KernelThread.nameCallingThread(name)
            // That a program has ended is told where it is written to.
            KernelThread.outliveBrokenPipes()
            var server = try Service.open(beats)
            DetachedProgram.report(readyReport)
            server.run()
        } catch let error as EngineError {
            DetachedProgram.report(error.fault.rawValue + " " + error.description)
        } catch Errno.addressInUse {
            // Another one was quicker, and does as well.
            DetachedProgram.report(readyReport)
        } catch {
            DetachedProgram.report(EngineError.Fault.failed.rawValue + " \(error)")
        }
        Process.exitAtOnce(0)
    }

    private struct Service: ~Copyable {
        private let signals: SignalDescriptor
        private let socket: ServiceSocket
        private let events: NetlinkEvents
        private var room: EngineRoom
        private let pulse: Pulse
        private var desertion = Desertion()
        private var clients: [MessageChannel] = []
        private var hasServed = false

        private var isDone: Bool { hasServed && room.isEmpty }

        init(
            signals: SignalDescriptor, socket: consuming ServiceSocket, events: NetlinkEvents,
            room: consuming EngineRoom, pulse: Pulse
        ) {
            self.signals = signals
            self.socket = socket
            self.events = events
            self.room = room
            self.pulse = pulse
        }

        static func open(_ beats: BeatPipe) throws -> Service {
            // Before any thread, so that none takes these signals.
            let signals = try SignalDescriptor([SIGTERM, SIGINT, SIGHUP])
            _ = try? DescriptorLimit.raise()
            let socket = try ServiceSocket(name: EngineServer.name)
            let room = try EngineRoom.open()
            let pulse = try Pulse(beats, gate: room.hooks.gate, allowing: workLimit)
            return Service(
                signals: signals, socket: socket, events: try NetlinkEvents(), room: room,
                pulse: pulse)
        }

        mutating func run() {
            let beginning = KernelClock.monotonic
            var (lastTick, lastLook) = (beginning, beginning)
            while true {
                pulse.allow(roundLimit)
                room.lookAfterLoops()
                let watched =
                    [signals.descriptor, socket.descriptor, events.descriptor]
                    + [room.hooks.descriptor].compactMap { $0 }
                let ready = Readiness.wait(
                    for: watched + clients.map(\.descriptor), timeout: roundInterval)
                pulse.allow(workLimit)
                if isToldToEnd() || pulse.isUnguarded { break }
                // Nobody sends packets here any more.
                if room.hooks.hasEnded { break }
                if ready.contains(events.descriptor) { followInterfaces() }
                if ready.contains(socket.descriptor), let client = socket.accept() {
                    clients.append(client)
                }
                serveClients(ready)
                let now = KernelClock.monotonic
                if now - lastTick >= tickInterval {
                    room.tick()
                    lastTick = now
                }
                if now - lastLook >= lookInterval {
                    let own = [Process.parent, room.hooks.process].compactMap { $0 }
                    if desertion?.isCertain(besides: own) == true { break }
                    lastLook = now
                }
                if isDone || room.isEmpty && now - beginning > idleLimit { break }
            }
            _ = room.remove(nil)
        }

        private func isToldToEnd() -> Bool {
            while let signal = signals.next() {
                // The terminal of whoever started it is none of its business.
                if signal.number != SIGHUP { return true }
            }
            return false
        }

        private mutating func followInterfaces() {
            // One change rarely comes alone.
            while let changes = try? events.next(within: .zero), !changes.isEmpty {}
            room.followInterfaces()
        }

        private mutating func serveClients(_ ready: [FileDescriptor]) {
            for client in clients where ready.contains(client.descriptor) {
                if let request = client.receive(json: ServiceRequest.self) {
                    answer(request, client)
                } else {
                    client.send(json: ServiceReply.failed(.otherVersion))
                }
                // Else the end of the process closes it, which tells the other end.
                if !isDone { client.close() }
            }
            clients.removeAll { ready.contains($0.descriptor) }
        }

        private mutating func answer(_ request: ServiceRequest, _ client: MessageChannel) {
            guard request.version == ServiceRequest.currentVersion else {
                client.send(json: ServiceReply.failed(.otherVersion))
                return
            }
            // What the kernel tells of conditions to anybody, this does as well.
            if case .status = request.wish {
                finish(room.status, client)
                return
            }
            guard client.peer?.isTrusted == true else {
                let error = EngineError(
                    "changing conditions takes root; run it with sudo", fault: .permission)
                client.send(json: ServiceReply.failed(error))
                return
            }
            hasServed = true
            switch request.wish {
            case .apply(let wanted):
                do {
                    try room.apply(wanted)
                    let served = room.status.filter {
                        wanted.interfaces.contains($0.index) && $0.name == wanted.name
                    }
                    finish(served, client)
                } catch {
                    client.send(json: ServiceReply.failed(error))
                }
            case .remove(let interfaces, let name):
                finish(room.remove(interfaces, name: name), client)
            case .status: break
            }
        }

        private func finish(_ interfaces: [EmulatedInterface], _ client: MessageChannel) {
            for interface in interfaces {
                guard client.send(json: ServiceReply.interface(interface)) else { return }
            }
            client.send(json: ServiceReply.done)
        }
    }
}
