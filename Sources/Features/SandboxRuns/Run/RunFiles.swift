import LinkModel
import LinuxKernel
import ProfileFormat
public import Recording
public import Sandbox

/// Files that are written when a run has ended; those that were not asked for are nil.
public struct RunFiles {
    /// The statistics as JSON.
    private let statistics: ResultFile?
    /// The run over time as a drawing.
    private let timeline: ResultFile?

    /// Where they are to be; nil: nowhere.
    public struct Paths: Sendable {
        /// What passed over the link, as JSON.
        public var statistics: String?
        /// The packets, as pcapng.
        public var capture: String?
        /// A line for each packet.
        public var log: String?
        /// The run over time.
        public var timeline: String?

        /// Names files.
        public init(statistics: String?, capture: String?, log: String?, timeline: String?) {
            self.statistics = statistics
            self.capture = capture
            self.log = log
            self.timeline = timeline
        }
    }

    /// Opens the files, so that one that cannot be written is an error before anything happens,
    /// and asks `request` to have them filled.
    public init(_ paths: Paths, for request: inout SandboxRequest) throws(RecordingFileError) {
        let owner = request.identity.map { OutputFile.Owner(user: $0.user, group: $0.group) }
        let stream = { (path: String) throws(RecordingFileError) in
            try OutputFile(creating: path, owner: owner)
        }
        let result = { (path: String) throws(RecordingFileError) in
            try ResultFile(creating: path, owner: owner)
        }
        request.recording.capture = try paths.capture.map(stream)
        request.recording.log = try paths.log.map(stream)
        request.recording.wantsStatistics = paths.statistics != nil || paths.timeline != nil
        request.recording.wantsSamples = paths.timeline != nil
        let isOnly = request.interfaces.count == 1
        request.recording.links = request.interfaces.map { interface in
            let conditions = interface.conditions.withExplicitLoss
            return ObservedLink(
                name: isOnly ? "" : interface.name, conditions: conditions,
                upDescription: ProfileWriter.line(of: conditions.up),
                downDescription: ProfileWriter.line(of: conditions.down))
        }
        statistics = try paths.statistics.map(result)
        timeline = try paths.timeline.map(result)
    }

    /// Writes the statistics; false if they cannot be written.
    public func write(_ json: String, _ listener: some Sandbox.Listener) -> Bool {
        write("\(json)\n", to: statistics, listener)
    }

    /// Draws the run; false if it cannot be written.
    public func draw(
        _ request: SandboxRequest, _ link: LinkStatistics, _ listener: some Sandbox.Listener
    ) -> Bool {
        let title = "\(request.networkName): \(request.commandText)"
        let plot = TimelinePlot(TimelineRecord(request, link), title: title)
        let isPage = timeline?.path.lowercased().hasSuffix(".html") == true
        return write(isPage ? plot.html : plot.svg, to: timeline, listener)
    }

    private func write(
        _ text: @autoclosure () -> String, to file: ResultFile?, _ listener: some Sandbox.Listener
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
