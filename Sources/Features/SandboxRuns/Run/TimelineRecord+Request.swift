import NetworkPath
import Recording
import Sandbox

extension TimelineRecord {
    /// Makes the record of a run; without a scenario, its interfaces never change.
    init(_ request: SandboxRequest, _ statistics: LinkStatistics) {
        if let timeline = statistics.timeline {
            self = timeline
            return
        }
        let records = zip(request.interfaces, statistics.interfaces).map { interface, link in
            var record = InterfaceRecord(interface.name, samples: link.samples)
            record.set(interface.conditions, profile: interface.profile, at: .zero)
            record.enter(
                PathState(
                    interface.mark, isPresent: interface.isPresent,
                    isPreferred: interface.name == request.preferred.name),
                at: .zero)
            return record
        }
        self.init(
            durationSeconds: statistics.durationSeconds, interfaces: records,
            events: statistics.linkEvents)
    }
}
