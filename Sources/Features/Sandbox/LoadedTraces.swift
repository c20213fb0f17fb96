import LinkModel
import PacketEngine
import PacketLoop

/// Delivery traces that were read from files, by the names of these.
struct LoadedTraces: Sendable {
    private var traces: [String: DeliveryTrace] = [:]

    /// Nothing.
    init() {}

    /// Reads what these conditions name.
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

    /// Those of these conditions.
    subscript(conditions: LinkConditions) -> LinkTraces {
        LinkTraces(
            down: conditions.down.trace.flatMap { traces[$0] },
            up: conditions.up.trace.flatMap { traces[$0] })
    }
}
