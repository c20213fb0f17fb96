import Glibc

/// The time that a command has, and what happens to it afterwards.
struct Deadline {
    /// What `timeout(1)` returns, too.
    static let exitCode: Int32 = 124

    private enum Stage {
        case running, terminated, killed
    }

    private var stage = Stage.running
    private var end: ContinuousClock.Instant?

    /// Begins to count; nil never ends.
    init(_ timeout: Duration?) {
        end = timeout.map { ContinuousClock.now + $0 }
    }

    /// How long to wait for the next signal; nil: there will be none.
    var remaining: Duration? { end.map { max(.zero, $0 - .now) } }

    /// Whether the command ran too long.
    var hasPassed: Bool { stage != .running }

    /// The command has ended: whether it ran too long is settled.
    mutating func settle() { end = nil }

    /// What the command is to be sent now: a request to end, and when it has had time for that,
    /// the end.
    mutating func signalDue() -> Int32? {
        guard let end, end <= .now else { return nil }
        switch stage {
        case .running:
            stage = .terminated
            self.end = .now + SandboxRequest.terminationPatience
            return SIGTERM
        case .terminated:
            stage = .killed
            self.end = nil
            return SIGKILL
        case .killed:
            return nil
        }
    }
}
