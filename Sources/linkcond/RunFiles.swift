import Evidence
import LinuxKernel
import Netlink
import NetworkPath
import Plots
import Sandbox
import Scenarios

/// Files that are written when a run has ended; those that were not asked for are nil.
struct RunFiles {
    /// The statistics as JSON.
    let statistics: ResultFile?
    /// The run over time as a drawing.
    let timeline: ResultFile?

    /// Writes the statistics; false if they cannot be written.
    func write(_ json: String, _ console: Console) -> Bool {
        write("\(json)\n", to: statistics, console)
    }

    /// Draws the run; false if it cannot be written.
    func draw(_ record: TimelineRecord, title: String, _ console: Console) -> Bool {
        let plot = TimelinePlot(record, title: title)
        let isPage = timeline?.path.lowercased().hasSuffix(".html") == true
        return write(isPage ? plot.html : plot.svg, to: timeline, console)
    }

    private func write(
        _ text: @autoclosure () -> String, to file: ResultFile?, _ console: Console
    ) -> Bool {
        guard let file else { return true }
        do {
            try file.write(text())
            return true
        } catch {
            console.note("\(error)")
            return false
        }
    }
}

extension TimelineRecord {
    /// A run over time, whose interfaces stay as they are unless a scenario changes them.
    init(_ request: SandboxRequest, _ statistics: LinkStatistics) {
        if let timeline = statistics.timeline {
            self = timeline
            return
        }
        let records = zip(request.interfaces, statistics.interfaces).map { interface, link in
            var record = InterfaceRecord(interface.name, samples: link.samples)
            record.set(interface.conditions, profile: interface.profile, at: .zero)
            let mark = interface.mark
            let kind = mark.kind ?? (mark.isHotspot ? .wifi : .wired)
            record.enter(
                PathState(
                    isPresent: interface.isPresent, isExpensive: mark.makesExpensive(kind),
                    isConstrained: mark.makesConstrained,
                    isPreferred: interface.name == request.preferred.name),
                at: .zero)
            return record
        }
        self.init(durationSeconds: statistics.durationSeconds, interfaces: records)
    }
}

extension SandboxRequest {
    /// The command as people read it.
    var commandWords: [String] { command.map(\.description) }

    /// What the network is called: the scenario, or the profiles of its interfaces.
    var networkName: String {
        scenario?.scenario.name ?? interfaces.map(\.profile).joined(separator: ", ")
    }

    /// The words with blanks between them.
    var commandText: String { commandWords.joined(separator: " ") }
}
