import HTTPAPI
import JSONReading
import LinuxKernel

/// The scenarios that this server plays or has played, each by a `linkcond play` of its own.
actor Plays {
    /// So many that are over are kept.
    private static let mostEnded = 10
    /// So many messages of each are kept.
    private static let mostLines = 200
    /// How long a play may take to refuse what it cannot do.
    private static let refusalTime = Duration.seconds(1)
    /// How long one may take to restore the interfaces.
    private static let endTime = Duration.seconds(30)

    private struct Play {
        let scenario: String
        let seed: UInt64
        let command: String
        let process: StartedCommand
        /// When its clock was zero, as far as its messages tell.
        var beganAt: Duration
        var lines: [String] = []
        var lineCount = 0
        var exitCode: Int32?
    }

    private var plays: [Int: Play] = [:]
    private var lastID = 0
    /// Changes with them.
    private(set) var version = 0

    /// Starts one and returns its number; throws what it complains of at once.
    func begin(_ scenario: String, seed: UInt64, words: [String], on host: any HostController)
        async throws -> Int
    {
        let process = try await host.start(words)
        lastID += 1
        let id = lastID
        plays[id] = Play(
            scenario: scenario, seed: seed,
            command: ShellWord.line(["sudo", "linkcond"] + words), process: process,
            beganAt: KernelClock.monotonic)
        version += 1
        let following = Task { await follow(id, process) }
        try await wait(for: id, atMost: Self.refusalTime)
        // With 128 plus a signal it has not refused anything: somebody ended it already.
        if let play = plays[id], let code = play.exitCode, 1..<128 ~= code {
            following.cancel()
            plays[id] = nil
            version += 1
            throw APIError(CommandResult(exitCode: code, messages: play.lines))
        }
        return id
    }

    /// Interrupts one and waits until it has restored the interfaces; nil if there is none.
    func end(_ id: Int) async throws -> JSONValue? {
        guard let play = plays[id] else { return nil }
        if play.exitCode == nil {
            play.process.interrupt()
            try await wait(for: id, atMost: Self.endTime)
        }
        return json(id)
    }

    /// All of them, the newest first.
    var json: JSONValue {
        ["plays": .array(plays.keys.sorted(by: >).compactMap { json($0) })]
    }

    /// One of them; nil if there is none.
    func json(_ id: Int) -> JSONValue? {
        guard let play = plays[id] else { return nil }
        return [
            "id": .integer(id), "scenario": .string(play.scenario),
            "seed": .number("\(play.seed)"), "command": .string(play.command),
            "pid": .integer(Int(play.process.process)),
            "beganAtMilliseconds": .number("\(play.beganAt / .milliseconds(1))"),
            "lines": .texts(play.lines), "lineCount": .integer(play.lineCount),
            "isOver": .bool(play.exitCode != nil),
            "exitCode": play.exitCode.map { .integer(Int($0)) } ?? .null,
        ]
    }

    private func wait(for id: Int, atMost time: Duration) async throws {
        let clock = ContinuousClock()
        let end = clock.now + time
        while plays[id]?.exitCode == nil, clock.now < end {
            try await Task.sleep(for: .milliseconds(20))
        }
    }

    private func follow(_ id: Int, _ process: StartedCommand) async {
        for await line in process.lines { add(line, to: id) }
        let code = await process.exitCode()
        plays[id]?.exitCode = code
        version += 1
        let over = plays.filter { $0.value.exitCode != nil }.keys.sorted()
        for id in over.dropLast(Self.mostEnded) { plays[id] = nil }
    }

    private func add(_ line: String, to id: Int) {
        guard var play = plays[id] else { return }
        play.lines = (play.lines + [line]).suffix(Self.mostLines)
        play.lineCount += 1
        if let time = Self.time(of: line) {
            // A message arrives later than it was written: the earliest tells most.
            play.beganAt =
                play.lineCount == 1
                ? KernelClock.monotonic - time : min(play.beganAt, KernelClock.monotonic - time)
        }
        plays[id] = play
        version += 1
    }

    /// The time at the beginning of a message: `12.003 s  wifi0: down`.
    static func time(of line: String) -> Duration? {
        let words = line.split(separator: " ", maxSplits: 2)
        guard words.count > 1, words[1] == "s", let seconds = Double(words[0]), seconds >= 0
        else { return nil }
        return .seconds(seconds)
    }
}
