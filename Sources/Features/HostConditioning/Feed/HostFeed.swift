import DataPlanes
import FoundationEssentials
public import LinuxKernel
import Multipath
import NetworkPath
import Netlink
import Override
import Sandbox
import SystemPackage

/// The state of the calling process's network namespace as lines of JSON, for the panel.
///
/// Theory of operation. `linkcond-api` starts `linkcond serve-feed` when the first browser listens,
/// and closes its standard input when the last one has left, at which it ends. Counters are read for
/// each line. What changes seldom (interfaces, overrides, programs) is read again when the kernel
/// reports a change, and otherwise every two seconds. The more is conditioned, the longer the
/// interval: the panel should cost little.
public struct HostFeed {
    /// The interval for one or two conditioned interfaces.
    static let shortestInterval = Duration.milliseconds(100)
    /// The interval for twenty and more.
    static let longestInterval = Duration.seconds(1)
    private static let slowInterval = Duration.seconds(2)

    private let isChosen: Bool
    private let process: ProcessDescriptor?
    private let environment: [String: String]

    /// Makes the feed.
    ///
    /// - Parameters:
    ///   - isChosen: Whether the user has chosen the network namespace, as with `--pid`.
    ///   - process: With which it ends.
    public init(
        isChosen: Bool, endingWith process: ProcessDescriptor? = nil, environment: [String: String]
    ) {
        self.isChosen = isChosen
        self.process = process
        self.environment = environment
    }

    /// The pause between two lines for a number of conditioned interfaces: it grows from ten to once
    /// a second.
    static func interval(for count: Int) -> Duration {
        min(longestInterval, max(shortestInterval, shortestInterval / 2 * count))
    }

    /// Gives one line after the other to `write`, until standard input or the process ends.
    public func run(_ write: (String) throws -> Void) throws {
        let events = try NetlinkEvents()
        let planes = DataPlanes(environment: environment)
        let encoder = JSONEncoder()
        // Equal states are equal lines.
        encoder.outputFormatting = [.withoutEscapingSlashes, .sortedKeys]
        var nextSlow = Duration.zero
        var host = HostFeedJSON.Host()
        var programs = SeenPrograms()
        let wakeUps: [FileDescriptor] =
            [.standardInput, events.descriptor] + [process?.descriptor].compactMap(\.self)
        var next = KernelClock.monotonic
        while true {
            let now = KernelClock.monotonic
            if now >= nextSlow {
                host = try HostFeedJSON.Host(path: .current(), overrides: NetworkOverride.show())
                if !isChosen {
                    programs.update(
                        OngoingProgram.all(),
                        written: WrittenReports.all(environment: environment))
                }
                nextSlow = now + Self.slowInterval
            }
            let conditioned = try planes.status() + RunService.links(isChosen: isChosen)
            let line = HostFeedJSON(
                host: host, conditioned: conditioned, programs: programs.all,
                at: now, date: KernelClock.realtime)
            try write(String(decoding: encoder.encode(line), as: UTF8.self))
            next = max(next + Self.interval(for: conditioned.count), KernelClock.monotonic)
            // Looked at in each round: to ask a run for its links may take longer than the interval.
            repeat {
                let left = max(.zero, next - KernelClock.monotonic)
                let ready = Readiness.wait(for: wakeUps, timeout: left)
                if ready.contains(.standardInput) || process?.hasEnded == true { return }
                // Changes come in groups: they wait for the next line.
                if !ready.isEmpty {
                    _ = try events.next(within: .zero)
                    nextSlow = .zero
                }
            } while KernelClock.monotonic < next
        }
    }
}
