import LinkModel
import LinkUnits

/// Events that happen when an interface has carried as much as it may.
struct PendingLimit: Sendable {
    /// How often the interface is looked at: at 100 Mbit/s it carries 125 kB meanwhile.
    static let interval = Duration.milliseconds(10)

    private let limit: VolumeLimit
    private let start: ByteCount
    /// What is to happen.
    private(set) var events: [TimelineEvent]

    /// Begins to count for `event`.
    init(
        _ limit: VolumeLimit, of event: TimelineEvent, on stage: inout some Stage
    ) throws(StageError) {
        self.limit = limit
        start = try stage.carried(by: limit.interface)
        events = [event]
    }

    /// Whether `event` is of the same entry; if so, whether it is counted from the same time.
    func isShared(with event: TimelineEvent) -> (entry: Bool, time: Bool) {
        guard let first = events.first, first.limit == event.limit, first.line == event.line
        else { return (false, false) }
        return (true, first.time == event.time)
    }

    /// Has `event` happen as well.
    mutating func add(_ event: TimelineEvent) { events.append(event) }

    /// Leaves out what `later` has decided otherwise: an interface that comes up does not go down
    /// by a limit of the time before.
    mutating func giveWay(to later: TimelineEvent) {
        guard case .carrier = later.action else { return }
        events.removeAll { event in
            if case .carrier = event.action {
                event.action.subject == later.action.subject
            } else {
                false
            }
        }
    }

    /// Whether the interface has carried as much as it may.
    func isReached(on stage: inout some Stage) throws(StageError) -> Bool {
        let carried = try stage.carried(by: limit.interface)
        return carried >= start && carried.bytes - start.bytes >= limit.volume.bytes
    }
}
