import Evidence
import LinuxKernel
import Netlink
import NetworkPath
import Plots
import Sandbox

/// Files that are written when a run has ended; those that were not asked for are nil.
struct RunFiles {
    /// The statistics as JSON.
    let statistics: OutputFile?
    /// The run over time as a drawing.
    let timeline: OutputFile?

    /// Writes the statistics.
    func write(_ json: String, _ console: Console) {
        write("\(json)\n", to: statistics, console)
    }

    /// Draws the run.
    func draw(_ record: TimelineRecord, title: String, _ console: Console) {
        let plot = TimelinePlot(record, title: title)
        let isPage = timeline?.path.lowercased().hasSuffix(".html") == true
        write(isPage ? plot.html : plot.svg, to: timeline, console)
    }

    /// That this fails is no reason to hide how the command ended.
    private func write(_ text: @autoclosure () -> String, to file: OutputFile?, _ console: Console)
    {
        guard let file else { return }
        do {
            try file.write(text())
        } catch {
            console.note("\(error)")
        }
    }
}

extension TimelineRecord {
    /// A run over time, which has one interface under the same conditions unless a scenario changes
    /// them.
    init(_ request: SandboxRequest, _ statistics: LinkStatistics) {
        if let timeline = statistics.timeline {
            self = timeline
            return
        }
        var interface = InterfaceRecord(SandboxNetwork.app.name, samples: statistics.samples)
        interface.set(request.conditions, profile: request.profile, at: .zero)
        let kind = request.mark.kind ?? (request.mark.isHotspot ? .wifi : .wired)
        interface.enter(
            PathState(
                isExpensive: request.mark.makesExpensive(kind),
                isConstrained: request.mark.makesConstrained, isPreferred: true),
            at: .zero)
        self.init(durationSeconds: statistics.durationSeconds, interfaces: [interface])
    }
}

extension SandboxRequest {
    /// The command as people read it.
    var commandWords: [String] { command.map(\.description) }

    /// The words with blanks between them.
    var commandText: String { commandWords.joined(separator: " ") }
}
