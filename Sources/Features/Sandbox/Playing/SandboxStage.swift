import LinkModel
import LinkUnits
import LinuxKernel
import NetworkPath
import Override
import Recording
import ScenarioPlaying
import Scenarios
import SystemPackage

/// A sandbox as the stage of a scenario.
struct SandboxStage: Stage {
    let links: SandboxLinks
    let devices: [RunningDevice]
    /// When the command was first started, by `KernelClock.monotonic`.
    let beginning: Duration
    var commands = ScenarioCommands()

    var now: Duration { KernelClock.monotonic - beginning }

    func change(
        _ interface: String, to conditions: LinkConditions, profile: String
    ) throws(StageError) {
        try Self.wrap { try links.change(interface, to: conditions, profile: profile) }
    }

    func setCarrier(_ interface: String, isUp: Bool) throws(StageError) {
        try Self.wrap { try links.setCarrier(interface, isUp: isUp) }
    }

    func setPresence(_ interface: String, isPresent: Bool) throws(StageError) {
        try Self.wrap { try links.setPresence(interface, isPresent: isPresent) }
    }

    func override(_ interface: String, with settings: InterfaceOverride) throws(StageError) {
        try Self.wrap { try links.setMark(interface, .init(settings)) }
    }

    func prefer(_ interface: String) throws(StageError) {
        try Self.wrap { try links.prefer(interface) }
    }

    func carried(by interface: String) throws(StageError) -> ByteCount {
        guard let counters = links.counters(of: interface) else {
            throw StageError("\(interface): its traffic is not counted")
        }
        return ByteCount(bytes: counters.up.bytes.bytes &+ counters.down.bytes.bytes)
    }

    private func device(_ name: String?) throws(StageError) -> RunningDevice {
        guard let device = devices.first(where: { $0.name == name }) else {
            throw StageError("\(name ?? ""): no such device")
        }
        return device
    }

    func perform(_ action: AppAction, on device: String?) throws(StageError) {
        let app = try self.device(device).app
        try Self.wrap {
            switch action {
            case .suspend: try app.suspend()
            case .resume: try app.resume()
            case .terminate: try app.terminate()
            case .relaunch(let options): app.relaunch(options)
            case .signal(let number): try app.signal(number)
            }
        }
    }

    mutating func execute(_ command: String, on device: String?) throws(StageError) {
        let device = try self.device(device)
        device.app.exclude(session: try commands.start(command, in: device.surroundings))
    }

    func path(on device: String?) throws(StageError) -> SeenPath {
        let network = try self.device(device).network
        do {
            return SeenPath(
                try NetworkNamespace.visit(network) { () throws(KernelError) in
                    Result { () throws(NetworkPathError) in try NetworkPath.current() }
                }.get())
        } catch {
            throw StageError("the path cannot be read: \(error)")
        }
    }

    mutating func startCheck(
        _ command: String, on device: String?
    ) throws(StageError) -> Int32 {
        let device = try self.device(device)
        let process = try commands.startCheck(command, in: device.surroundings)
        device.app.exclude(session: process)
        return process
    }

    mutating func exitCode(ofCheck check: Int32) -> Int32? {
        commands.takeEnd(ofCheck: check)?.shellCode
    }

    mutating func abandonCheck(_ check: Int32) { commands.abandon(check) }

    private static func wrap(_ body: () throws -> Void) throws(StageError) {
        do {
            try body()
        } catch {
            throw StageError("\(error)")
        }
    }
}
