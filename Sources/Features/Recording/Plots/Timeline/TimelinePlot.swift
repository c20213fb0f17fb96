/// A run over time as one drawing (SVG): the events, what apps saw of each interface, and each
/// interface's traffic compared with its conditions.
///
/// Theory of operation. A drawing of fixed size would shrink on a phone until it is unreadable.
/// This one has no fixed size: positions in time are in per cent of the width, texts and heights
/// are in pixels, and curves are nested drawings that are stretched. So it fills the available
/// width; adjacent elements fit 340 pixels. Colours follow the reader's preference for light or
/// dark. The same record gives the same drawing, byte for byte.
public struct TimelinePlot: Sendable {
    private let record: TimelineRecord
    private let title: String
    private let scale: TimeScale

    /// Makes a plot of a run.
    ///
    /// - Parameter title: The title of a drawing in a separate file.
    public init(_ record: TimelineRecord, title: String = "") {
        self.record = record
        self.title = title
        let last = record.interfaces.compactMap { $0.samples.last?.seconds }.max() ?? 0
        scale = TimeScale(end: max(record.durationSeconds, last))
    }

    /// The drawing as a separate file.
    public var svg: String { Drawing(title: title, label: label, content: content).svg }

    /// The drawing as a separate page.
    public var html: String { Drawing(title: title, label: label, content: content).html }

    /// The drawing for a page that includes `Drawing.style`; empty without data.
    package var figure: Markup {
        guard record.interfaces.contains(where: { $0.samples.count > 1 }) || !record.events.isEmpty
        else { return "" }
        return Drawing(title: "", label: label, content: content).figure
    }

    /// The description for screen readers.
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
