/// A run over time as one drawing (SVG): what was done and when, what apps saw of each interface,
/// and what passed over each beside what its link was to do.
///
/// Theory of operation. A drawing for paper would shrink on a phone until nobody can read it. This
/// one has no size of its own: places over time are in per cent of the width, texts and heights in
/// pixels, and curves are drawings within it that are stretched. So it fills whatever room it gets,
/// and what stands beside each other is counted so that it fits 340 pixels. Colours follow the
/// reader's preference for light or dark. The same record gives the same drawing, byte for byte.
public struct TimelinePlot: Sendable {
    private let record: TimelineRecord
    private let title: String
    private let scale: TimeScale

    /// Draws a run.
    ///
    /// - Parameter title: what stands above a drawing that is a file of its own.
    public init(_ record: TimelineRecord, title: String = "") {
        self.record = record
        self.title = title
        let last = record.interfaces.compactMap { $0.samples.last?.seconds }.max() ?? 0
        scale = TimeScale(end: max(record.durationSeconds, last))
    }

    /// The drawing as a file of its own.
    public var svg: String { Drawing(title: title, label: label, content: content).svg }

    /// The drawing in a page of its own.
    public var html: String { Drawing(title: title, label: label, content: content).html }

    /// The drawing for a page that has `Drawing.style`; empty if there is nothing to see.
    package var figure: Markup {
        guard record.interfaces.contains(where: { $0.samples.count > 1 }) || !record.events.isEmpty
        else { return "" }
        return Drawing(title: "", label: label, content: content).figure
    }

    /// What those learn who do not see the drawing.
    private var label: String {
        let names = record.interfaces.map(\.name).joined(separator: ", ")
        let count = record.events.count
        let events = count == 0 ? "" : " and \(count) event\(count == 1 ? "" : "s")"
        return "\(names)\(events) over \(scale.end.secondsText)"
    }

    private var content: Lane {
        let marks = EventMarks(record.events, scale)
        let isOneOfSeveral = record.interfaces.count > 1
        let curves = record.interfaces.flatMap {
            InterfaceLanes(interface: $0, scale: scale, isOneOfSeveral: isOneOfSeveral).lanes
        }
        let bands = PathBands(interfaces: record.interfaces, scale: scale)
        let legend = Lane.legend(
            bands.legend + (curves.isEmpty ? [] : InterfaceLanes.legend))
        let body = Lane.stack(bands.lanes + curves)
        let behind = Lane(
            height: body.height, markup: "\(marks.moments(height: body.height))\(body.markup)")
        return .stack([legend, marks.marks, behind, .axis(scale), marks.list])
    }
}
