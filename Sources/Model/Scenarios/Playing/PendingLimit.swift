import LinkModel
import LinkUnits

/// Events that happen once an interface has carried a given volume.
struct PendingLimit: Sendable {
    /// The polling interval: at 100 Mbit/s an interface carries 125 kB in this time.
    static let interval = Duration.milliseconds(10)

    private let limit: VolumeLimit
    private let start: ByteCount
    /// The events that will happen.
    private(set) var events: [TimelineEvent]

    /// Starts counting for `event`.
    init(
        _ limit: VolumeLimit, of event: TimelineEvent, on stage: inout some Stage
    ) throws(StageError) {
        self.limit = limit
        start = try stage.carried(by: limit.interface)
        events = [event]
    }

    /// Whether `event` belongs to the same entry, and if so, whether it counts from the same time.
    func isShared(with event: TimelineEvent) -> (entry: Bool, time: Bool) {
        guard let first = events.first, first.limit == event.limit, first.line == event.line
        else { return (false, false) }
        return (true, first.time == event.time)
    }

    /// Adds an event.
    mutating func add(_ event: TimelineEvent) { events.append(event) }

    /// Drops the events that `later` supersedes: an interface that comes up does not go down
    /// because of an earlier limit.
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

    /// Whether the interface has carried the volume.
    func isReached(on stage: inout some Stage) throws(StageError) -> Bool {
        let carried = try stage.carried(by: limit.interface)
        return carried >= start && carried.bytes - start.bytes >= limit.volume.bytes
    }
}
