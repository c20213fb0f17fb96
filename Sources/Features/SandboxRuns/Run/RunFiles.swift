import LinkModel
import LinuxKernel
import ProfileFormat
public import Recording
public import Sandbox

/// Files written at the end of a run; those not requested are nil.
public struct RunFiles {
    /// A file that is written at the end.
    private enum Destination {
        case file(ResultFile)
        case standardOutput(OutputFile)

        func write(_ text: String) throws(RecordingFileError) {
            switch self {
            case .file(let file): try file.write(text)
            case .standardOutput(let file): try file.write(text)
            }
        }
    }

    /// The statistics as JSON.
    private let statistics: Destination?
    /// A plot of the run over time.
    private let timeline: Destination?
    private let isTimelinePage: Bool

    /// Opens the files, so that an unwritable file fails before anything happens, and makes
    /// `request` fill them.
    ///
    /// `-` is standard output, which then belongs to that file alone: what the command writes there
    /// goes to standard error.
    ///
    /// - Parameters:
    ///   - statistics: The path for the statistics as JSON; nil: not requested.
    ///   - capture: The path for the packets as pcapng.
    ///   - log: The path for a line for each packet.
    ///   - timeline: The path for a plot of the run over time.
    public init(
        statistics: String?, capture: String?, log: String?, timeline: String?,
        for request: inout SandboxRequest
    ) throws(RecordingFileError) {
        let owner = request.identity
        let stream = { (path: String) throws(RecordingFileError) in
            try path == "-"
                ? .takingStandardOutput() : OutputFile(creating: path, owner: owner)
        }
        let result = { (path: String) throws(RecordingFileError) -> Destination in
            try path == "-"
                ? .standardOutput(.takingStandardOutput())
                : .file(ResultFile(creating: path, owner: owner))
        }
        request.recording.capture = try capture.map(stream)
        request.recording.log = try log.map(stream)
        request.recording.wantsStatistics = statistics != nil || timeline != nil
        request.recording.wantsSamples = timeline != nil
        let isOnly = request.interfaces.count == 1
        request.recording.links = request.interfaces.map { interface in
            let conditions = interface.conditions.withExplicitLoss
            return ObservedLink(
                name: isOnly ? "" : interface.name, conditions: conditions,
                upDescription: ProfileWriter.line(of: conditions.up),
                downDescription: ProfileWriter.line(of: conditions.down))
        }
        self.statistics = try statistics.map(result)
        self.timeline = try timeline.map(result)
        isTimelinePage = timeline?.lowercased().hasSuffix(".html") == true
    }

    /// Writes the statistics; false on failure.
    public func write(_ json: String, _ listener: some Sandbox.Listener) -> Bool {
        write("\(json)\n", to: statistics, listener)
    }

    /// Writes the plot; false on failure.
    public func draw(
        _ request: SandboxRequest, _ link: LinkStatistics, _ listener: some Sandbox.Listener
    ) -> Bool {
        let title = "\(request.networkName): \(request.commandText)"
        let plot = TimelinePlot(TimelineRecord(request, link), title: title)
        return write(isTimelinePage ? plot.html : plot.svg, to: timeline, listener)
    }

    private func write(
        _ text: @autoclosure () -> String, to file: Destination?, _ listener: some Sandbox.Listener
    ) -> Bool {
        guard let file else { return true }
        do {
            try file.write(text())
            return true
        } catch {
            listener.note("\(error)")
            return false
        }
    }
}
