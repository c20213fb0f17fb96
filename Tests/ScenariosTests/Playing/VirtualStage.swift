import LinkModel
import LinkUnits
import Scenarios

/// A stage whose clock the test moves, and which writes down what is done on it.
struct VirtualStage: Stage {
    var now: Duration
    /// How long everything takes that is done.
    var effort: Duration
    /// What was done and when it began.
    var deeds: [String] = []
    /// The conditions that an interface had over time.
    var conditions: [(time: Duration, LinkConditions)] = []
    /// How much an interface carries in a second.
    var rates: [String: UInt64] = [:]
    /// What is seen on each device.
    var seenPaths: [String?: SeenPath] = [nil: SeenPath(status: .satisfied, interface: "wifi0")]
    /// Interfaces of which nothing can be changed.
    var broken: Set<String>
    /// How checks end, in the order in which they are started, and how long they take.
    var checks: [(code: Int32, length: Duration)]
    private var running: [Int32: (code: Int32, end: Duration)] = [:]
    private var checkCount: Int32 = 0

    init(
        now: Duration = .zero, effort: Duration = .zero, broken: Set<String> = [],
        checks: [(code: Int32, length: Duration)] = []
    ) {
        self.now = now
        self.effort = effort
        self.broken = broken
        self.checks = checks
    }

    private mutating func note(_ deed: String, on interface: String? = nil) throws(StageError) {
        if let interface, broken.contains(interface) { throw StageError("it is broken") }
        deeds.append("\(now / .milliseconds(1)): \(deed)")
        now += effort
    }

    mutating func change(
        _ interface: String, to conditions: LinkConditions, profile: String
    ) throws(StageError) {
        try note("\(interface) \(profile)", on: interface)
        self.conditions.append((now, conditions))
    }

    mutating func setCarrier(_ interface: String, isUp: Bool) throws(StageError) {
        try note("\(interface) \(isUp ? "up" : "down")", on: interface)
    }

    mutating func setPresence(_ interface: String, isPresent: Bool) throws(StageError) {
        try note("\(interface) \(isPresent ? "appears" : "vanishes")", on: interface)
    }

    mutating func override(
        _ interface: String, with settings: InterfaceOverride
    ) throws(StageError) {
        try note("\(interface) \(settings)", on: interface)
    }

    mutating func prefer(_ interface: String) throws(StageError) {
        try note("prefer \(interface)", on: interface)
    }

    mutating func carried(by interface: String) throws(StageError) -> ByteCount {
        guard let rate = rates[interface] else { throw StageError("nobody counts") }
        return ByteCount(bytes: UInt64(now / .seconds(1) * Double(rate)))
    }

    private func of(_ device: String?) -> String { device.map { "\($0): " } ?? "" }

    mutating func perform(_ action: AppAction, on device: String?) throws(StageError) {
        try note("\(of(device))\(action)")
    }

    mutating func execute(_ command: String, on device: String?) throws(StageError) {
        try note("\(of(device))exec \(command)")
    }

    mutating func path(on device: String?) throws(StageError) -> SeenPath {
        seenPaths[device] ?? SeenPath(status: .unsatisfied)
    }

    mutating func startCheck(
        _ command: String, on device: String?
    ) throws(StageError) -> Int32 {
        try note("\(of(device))check \(command)")
        let check = checks.isEmpty ? (code: 0, length: Duration.zero) : checks.removeFirst()
        checkCount += 1
        running[checkCount] = (check.code, now + check.length)
        return checkCount
    }

    mutating func exitCode(ofCheck check: Int32) -> Int32? {
        guard let end = running[check], end.end <= now else { return nil }
        return end.code
    }

    mutating func abandonCheck(_ check: Int32) {
        deeds.append("\(now / .milliseconds(1)): abandon")
        running[check] = nil
    }

    /// Plays until nothing is due any more or `end` is reached, waking as late as told after each
    /// moment that something is due. Commands that end wake the player as well.
    mutating func play(
        _ player: inout TimelinePlayer, until end: Duration = .seconds(3600),
        wakingLateBy lateness: Duration = .zero
    ) -> [PlayedEvent] {
        var events: [PlayedEvent] = []
        while true {
            let turn = player.turn(on: &self)
            events += turn.events
            let ends = running.values.map { $0.end - now }.filter { $0 > .zero }
            guard let pause = (ends + [turn.next].compactMap(\.self)).min(), now + pause < end
            else { return events }
            now += pause + lateness
        }
    }
}
