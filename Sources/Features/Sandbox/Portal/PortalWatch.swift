import LinkModel
import LinuxKernel
import Middleboxes
import Recording
import Scenarios

/// Makes events of what happens to captive portals in the middle of the links, and tells apps whether
/// one holds them back.
struct PortalWatch {
    private let links: SandboxLinks
    private let beginning: Duration
    private var nextTime = Duration.zero
    /// What happened so far, in its order.
    private(set) var events: [EventRecord] = []
    /// The interfaces whose portal was closed at the last look.
    private var closed: Set<String> = []

    private static let interval = Duration.milliseconds(100)
    private static let mostEvents = 1000

    /// Begins with the start of the command.
    init(_ links: SandboxLinks, since beginning: Duration) {
        (self.links, self.beginning) = (links, beginning)
    }

    /// Looks if due, tells what has happened, and returns the time until the next look; nil: no
    /// portal is closed until conditions change.
    mutating func turn(tell: (String) -> Void) -> Duration? {
        let captive = Set(links.interfaces.map(\.name).filter(links.isCaptive))
        let elapsed = KernelClock.monotonic - beginning
        guard !captive.isEmpty || !closed.isEmpty else { return nil }
        if captive != closed || elapsed >= nextTime {
            look(at: captive.union(closed), tell: tell)
            for name in captive.symmetricDifference(closed) {
                links.setCaptive(name, captive.contains(name))
            }
            closed = captive
            nextTime = elapsed + Self.interval
        }
        return captive.isEmpty ? nil : nextTime - elapsed
    }

    /// Looks for the last time, at the end of the command.
    mutating func finish(tell: (String) -> Void) -> [EventRecord] {
        look(at: closed, tell: tell)
        return events
    }

    private mutating func look(at names: Set<String>, tell: (String) -> Void) {
        let found = names.flatMap { name in links.takePortalEvents(on: name).map { (name, $0) } }
        for (name, event) in found.sorted(by: { $0.1.time < $1.1.time }) {
            guard events.count < Self.mostEvents else { return }
            let time = max(.zero, event.time - beginning)
            let text = "\(name): \(event.kind.sentence)"
            events.append(EventRecord(at: time, text, interface: name))
            tell(PlayedEvent.line(of: text, at: time))
        }
    }
}

extension PortalEvent.Kind {
    fileprivate var sentence: String {
        switch self {
        case .met: "the app meets the captive portal"
        case .clicked: "the captive portal opens after a click"
        case .timedOut: "the captive portal opens after its time"
        }
    }
}
