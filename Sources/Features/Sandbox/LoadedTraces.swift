import LinkModel
import PacketEngine
import PacketLoop

/// Delivery traces read from files, by file name.
struct LoadedTraces: Sendable {
    private var traces: [String: DeliveryTrace] = [:]

    /// Makes an empty collection.
    init() {}

    /// Reads the traces named in these conditions.
    init(readingFor all: [LinkConditions]) throws(TraceFileError) {
        for conditions in all {
            let missing = [conditions.up.trace, conditions.down.trace].compactMap(\.self)
                .contains { traces[$0] == nil }
            guard missing else { continue }
            let read = try LinkTraces(readingFor: conditions)
            for (path, trace) in [
                (conditions.up.trace, read.up), (conditions.down.trace, read.down),
            ] {
                if let path { traces[path] = trace }
            }
        }
    }

    /// The traces of these conditions.
    subscript(conditions: LinkConditions) -> LinkTraces {
        LinkTraces(
            down: conditions.down.trace.flatMap { traces[$0] },
            up: conditions.up.trace.flatMap { traces[$0] })
    }
}
