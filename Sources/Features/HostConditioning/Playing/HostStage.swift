import DataPlane
import DataPlanes
import LinkModel
import LinkUnits
import LinuxKernel
import Netlink
import NetworkPath
import Override
import ScenarioPlaying
import Scenarios

/// The interfaces of a host as the stage of a scenario.
///
/// Its changes end with this process, even if that is killed: they carry the name of a watcher.
struct HostStage: Stage {
    /// The current state of an interface in the scenario.
    private struct State {
        let host: String
        var conditions: LinkConditions
        var profile: String
        var isUp = true
        var isPresent: Bool
        /// Whether linkcond already conditions it.
        var isConditioned = false
    }

    private let planes: DataPlanes
    private let request: ApplyRequest
    private let backend: Backend
    private let overrideWatcher: String
    private var beginning: Duration
    private var states: [String: State]
    private let surroundings: CommandSurroundings
    var commands = ScenarioCommands()

    /// - Parameters:
    ///   - request: The common part of all conditions.
    ///   - overrideWatcher: The watcher that clears the overrides.
    init(
        _ scenario: Scenario, on interfaces: HostInterfaces, _ planes: DataPlanes,
        _ request: ApplyRequest, backend: Backend,
        overrideWatcher: String, surroundings: CommandSurroundings
    ) {
        self.planes = planes
        self.request = request
        self.backend = backend
        self.overrideWatcher = overrideWatcher
        self.surroundings = surroundings
        beginning = KernelClock.monotonic
        states = [:]
        for interface in scenario.interfaces {
            states[interface.name] = State(
                host: interfaces.names[interface.name] ?? "",
                conditions: interface.profile.conditions, profile: interface.conditionsName,
                isPresent: interface.isPresent)
        }
    }

    var now: Duration { KernelClock.monotonic - beginning }

    /// Starts the scenario's clock now.
    mutating func restart() { beginning = KernelClock.monotonic }

    /// Sets the initial conditions and overrides of an interface.
    mutating func begin(_ interface: ScenarioInterface) throws {
        try condition(interface.name)
        try set(interface.initialOverride.complete, interface.name)
    }

    mutating func change(
        _ interface: String, to conditions: LinkConditions, profile: String
    ) throws(StageError) {
        states[interface]?.conditions = conditions
        states[interface]?.profile = profile
        guard states[interface].map({ $0.isUp && $0.isPresent }) == true else { return }
        try Self.wrap { try condition(interface) }
    }

    mutating func setCarrier(_ interface: String, isUp: Bool) throws(StageError) {
        states[interface]?.isUp = isUp
        try Self.wrap { try condition(interface) }
    }

    mutating func setPresence(_ interface: String, isPresent: Bool) throws(StageError) {
        states[interface]?.isPresent = isPresent
        try Self.wrap { try condition(interface) }
    }

    func override(_ interface: String, with settings: InterfaceOverride) throws(StageError) {
        try Self.wrap { try set(settings.complete, interface) }
    }

    func prefer(_ interface: String) throws(StageError) {
        try Self.wrap { try set(InterfaceOverride(isPreferred: true), interface) }
    }

    /// The kernel's counters, for the traffic of every program.
    func carried(by interface: String) throws(StageError) -> ByteCount {
        let host = states[interface]?.host ?? ""
        // Not from /sys, which is that of the caller's network, whichever this thread is in.
        guard let bytes = try Self.wrap({ try NetlinkSession().traffic(of: host) }) else {
            throw StageError("\(host): no such interface")
        }
        return ByteCount(bytes: bytes)
    }

    func perform(_ action: AppAction, on device: String?) throws(StageError) {
        throw StageError("there is no app")
    }

    mutating func execute(_ command: String, on device: String?) throws(StageError) {
        _ = try commands.start(command, in: surroundings)
    }

    func path(on device: String?) throws(StageError) -> SeenPath {
        var path = try Self.wrap { SeenPath(try NetworkPath.current()) }
        // Expectations use the scenario's interface names.
        path.interface =
            states.first { $0.value.host == path.interface }?.key ?? path.interface
        return path
    }

    mutating func startCheck(
        _ command: String, on device: String?
    ) throws(StageError) -> Int32 {
        try commands.startCheck(command, in: surroundings)
    }

    mutating func exitCode(ofCheck check: Int32) -> Int32? {
        commands.takeEnd(ofCheck: check)?.shellCode
    }

    mutating func abandonCheck(_ check: Int32) { commands.abandon(check) }

    /// Applies the scenario's current conditions to an interface.
    private mutating func condition(_ interface: String) throws {
        guard let state = states[interface] else { return }
        var request = request
        request.interfaces = [state.host]
        request.profile = state.profile
        request.conditions = state.conditions
        if !state.isUp || !state.isPresent {
            request.conditions.isBlackhole = true
            request.profile += state.isPresent ? ", down" : ", away"
        }
        request.replaces = state.isConditioned
        _ = try planes.apply(request, backend: backend)
        states[interface]?.isConditioned = true
    }

    private func set(_ override: InterfaceOverride, _ interface: String) throws {
        guard let host = states[interface]?.host else { return }
        _ = try NetworkOverride.set(override, watcher: overrideWatcher, on: [host])
    }

    private static func wrap<Result>(_ body: () throws -> Result) throws(StageError) -> Result {
        do {
            return try body()
        } catch {
            throw StageError("\(error)")
        }
    }

    /// Removes the scenario's conditions and overrides.
    func end(conditionsWatcher: String) throws {
        let result = Result { try planes.clear(endedBy: conditionsWatcher) }
        _ = try NetworkOverride.clear(endedBy: overrideWatcher)
        try result.get()
    }
}
