import LinkModel
import LinuxKernel
import NetworkPath
import Recording
import ScenarioPlaying
import Scenarios

/// A scenario that is played in a sandbox: the player, the stage, and what is told and written
/// down of it.
final class ScenarioPerformance {
    private let request: ScenarioRequest
    private let channel: MessageChannel
    private var player: TimelinePlayer
    private var stage: SandboxStage
    /// What happened, interface by interface.
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

    /// Carries out what is due, and says in how long something is due again.
    func turn() -> Duration? {
        let turn = player.turn(on: &stage)
        tell(turn)
        return turn.next
    }

    /// Takes note of the end of a process.
    func ended(_ process: Int32, _ end: ProcessEnd) {
        guard let note = stage.commands.ended(process, end) else { return }
        channel.send(.note(note))
    }

    /// Whether the run is over, now that the app has ended.
    ///
    /// Not while the app is to be started again, nor while something is to be judged.
    func isOver(exitCode: Int32) -> Bool {
        if !hasEnded {
            guard !player.hasRelaunch(after: stage.now) else { return false }
            hasEnded = true
            for line in request.scenario.expectationLines(after: stage.now) {
                channel.send(.note("\(request.origin):\(line): not judged: the command had ended"))
            }
            tell(player.end(exitCode: exitCode, on: &stage))
            tell(player.turn(on: &stage))
        }
        return player.isOver
    }

    /// Ends the record.
    ///
    /// - Parameters:
    ///   - duration: how long the command ran.
    ///   - samples: the links over time, by the names of the interfaces.
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

    /// Writes down what the interfaces are like now, as far as it is new.
    private func writeDown(at now: Duration) {
        for (index, name) in record.interfaces.map(\.name).enumerated() {
            guard let position = stage.links.interfaces.firstIndex(where: { $0.name == name })
            else { continue }
            let interface = stage.links.interfaces[position]
            if written[name] != interface.conditions {
                written[name] = interface.conditions
                record.interfaces[index].set(
                    interface.conditions, profile: interface.profile, at: now)
            }
            record.interfaces[index].enter(
                PathState(
                    interface.mark, isPresent: interface.isPresent, isUp: interface.hasCarrier,
                    isPreferred: position == 0),
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
    /// Writes down what a player did.
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
