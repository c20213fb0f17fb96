import LinkModel
import LinkUnits
import LinuxKernel
import Middleboxes
import Recording
import Scenarios

/// Makes events of what NATs in the middle of the links forget by intention.
struct RebindingWatch {
    private let links: SandboxLinks
    private let beginning: Duration
    private var nextTime = Duration.zero
    /// What happened so far, in its order.
    private(set) var events: [EventRecord] = []
    /// The interfaces that had such a NAT at the last look.
    private var watched: Set<String> = []
    private var isOver = false

    private static let interval = Duration.milliseconds(100)
    /// The counters tell of all the others.
    private static let mostEvents = 1000

    /// Begins with the start of the command.
    init(_ links: SandboxLinks, since beginning: Duration) {
        (self.links, self.beginning) = (links, beginning)
    }

    /// Looks if due, tells what has happened, and returns the time until the next look; nil: no NAT
    /// forgets anything until conditions change.
    mutating func turn(tell: (String) -> Void) -> Duration? {
        guard !isOver else { return nil }
        let rebinding = Set(links.interfaces.filter(\.rebinds).map(\.name))
        guard !watched.isEmpty || !rebinding.isEmpty else { return nil }
        let elapsed = KernelClock.monotonic - beginning
        guard elapsed >= nextTime || rebinding != watched else { return nextTime - elapsed }
        look(at: watched.union(rebinding), tell: tell)
        watched = rebinding
        nextTime = elapsed + Self.interval
        return rebinding.isEmpty ? nil : Self.interval
    }

    /// Looks for the last time, at the end of the command.
    mutating func finish(tell: (String) -> Void) -> [EventRecord] {
        look(at: watched, tell: tell)
        isOver = true
        return events
    }

    private mutating func look(at names: Set<String>, tell: (String) -> Void) {
        let found = names.flatMap { name in
            links.takeRebindings(on: name).map { (name, $0) }
        }
        for (name, rebinding) in found.sorted(by: { $0.1.time < $1.1.time }) {
            guard events.count < Self.mostEvents else { return }
            let time = max(.zero, rebinding.time - beginning)
            let entries = rebinding.entries == 1 ? "1 entry" : "\(rebinding.entries) entries"
            let text =
                "\(name): the \(rebinding.place == 0 ? "" : "carrier's ")NAT forgets \(entries)"
            events.append(EventRecord(at: time, text, interface: name))
            tell(PlayedEvent.line(of: text, at: time))
        }
    }
}

extension SandboxLinks.Interface {
    /// Whether a NAT in the middle of its link forgets its entries by intention.
    fileprivate var rebinds: Bool {
        conditions.middle?.nat.contains { $0.rebind != nil } ?? false
    }
}
