import LinkModel
import LinuxKernel
import NetworkPath
import Recording
import ScenarioPlaying
import Scenarios

/// Plays a scenario in a sandbox: connects the player, the stage, the messages and the record.
final class ScenarioPerformance {
    private let request: ScenarioRequest
    private let channel: MessageChannel
    private var player: TimelinePlayer
    private var stage: SandboxStage
    /// What happened to each interface.
    private(set) var record: TimelineRecord
    private var written: [String: LinkConditions] = [:]
    private var hasEnded = false
    private var narrator: Narrator

    init(
        _ request: ScenarioRequest, seed: UInt64, on stage: SandboxStage, _ channel: MessageChannel
    ) {
        self.request = request
        self.channel = channel
        self.stage = stage
        player = TimelinePlayer(request.scenario, seed: seed)
        narrator = Narrator(origin: request.origin)
        record = TimelineRecord(interfaces: stage.links.interfaces.map { InterfaceRecord($0.name) })
        writeDown(at: .zero)
    }

    /// Does what is due and returns the time until something is due again.
    func turn() -> Duration? {
        let turn = player.turn(on: &stage)
        tell(turn)
        return turn.next
    }

    /// Records the end of a process.
    func ended(_ process: Int32, _ end: ProcessEnd) {
        guard let note = stage.commands.ended(process, end) else { return }
        channel.send(.note(note))
    }

    /// Whether the run is over, given that the apps have ended.
    ///
    /// It is not over while a restart or a check is pending.
    func isOver() -> Bool {
        if !hasEnded {
            guard !player.hasRelaunch(after: stage.now) else { return false }
            hasEnded = true
            for line in request.scenario.expectationLines(after: stage.now) {
                channel.send(.note("\(request.origin):\(line): not judged: the command had ended"))
            }
            let codes = stage.devices.map { ($0.name, $0.app.exitCode) }
            tell(player.end(exitCodes: Dictionary(codes) { $1 }, on: &stage))
            tell(player.turn(on: &stage))
        }
        return player.isOver
    }

    /// Completes the record.
    ///
    /// - Parameters:
    ///   - duration: How long the command ran.
    ///   - samples: The links over time, by interface name.
    func finish(after duration: Duration, samples: [String: [LinkSample]]) -> TimelineRecord {
        record.durationSeconds = duration / .seconds(1)
        for index in record.interfaces.indices {
            record.interfaces[index].samples = samples[record.interfaces[index].name] ?? []
        }
        if let conclusion = narrator.conclusion { channel.send(SandboxMessage(conclusion)) }
        return record
    }

    private func tell(_ turn: TimelinePlayer.Turn) {
        for event in turn.events {
            channel.send(SandboxMessage(narrator.remark(on: event)))
            record.events.append(EventRecord(event))
        }
        writeDown(at: stage.now)
    }

    /// Records changes of the interfaces.
    private func writeDown(at now: Duration) {
        let interfaces = stage.links.interfaces
        for (index, name) in record.interfaces.map(\.name).enumerated() {
            guard let interface = interfaces.first(where: { $0.name == name }) else { continue }
            let preferred = interfaces.first { $0.device == interface.device }
            if written[name] != interface.conditions {
                written[name] = interface.conditions
                record.interfaces[index].set(
                    interface.conditions, profile: interface.profile, at: now)
            }
            record.interfaces[index].enter(
                PathState(
                    interface.mark, isPresent: interface.isPresent, isUp: interface.hasCarrier,
                    isPreferred: interface.name == preferred?.name),
                at: now)
        }
    }
}

extension SandboxMessage {
    fileprivate init(_ remark: PlayRemark) {
        self =
            switch remark {
            case .event(let text): .explanation(text)
            case .failedExpectation(let text): .failedExpectation(text)
            case .note(let text): .note(text)
            }
    }
}

extension EventRecord {
    /// Makes the record of an event.
    fileprivate init(_ event: PlayedEvent) {
        let kind: Kind =
            switch event.subject {
            case .interface: .network
            case .app: .app
            case .expectation: .expectation
            }
        var interface: String?
        if case .interface(let name) = event.subject { interface = name }
        self.init(
            at: event.time, event.sentence, kind: kind, interface: interface,
            lateness: event.lateness, isFailure: event.failure != nil)
    }
}
