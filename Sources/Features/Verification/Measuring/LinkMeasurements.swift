import FoundationEssentials
import Glibc
import LinkUnits
import LinuxKernel
import Recording

/// Measures links, each in its own process: a process that has made namespaces can do nothing else.
public enum LinkMeasurements {
    /// A signal ended the measurements early.
    public struct Interruption: Error {
        /// The signal.
        public let signal: Int32
    }

    /// The approximate time to set up and remove a link.
    private static let setUp = Duration.milliseconds(400)

    /// The approximate total time.
    public static func expectedTime(of measurements: [LinkMeasurement], jobs: Int) -> Duration {
        let time = { (isFast: Bool) in
            measurements.filter { $0.isFast == isFast }
                .reduce(Duration.zero) { $0 + $1.plan.duration + setUp }
        }
        let longest = measurements.map(\.plan.duration).max() ?? .zero
        return max(time(true) + time(false) / jobs, longest)
    }

    /// Measures all links, up to `jobs` slow ones at a time, and returns the results in the order
    /// of `measurements`.
    ///
    /// - Parameters:
    ///   - explain: Called with a profile and an explanation, such as why this data plane, while
    ///     the link is measured.
    ///   - report: Called after each with the number done.
    /// - Throws: `LinkFailure`, `Interruption`.
    public static func run(
        _ measurements: [LinkMeasurement], jobs: Int, explain: (String, String) -> Void,
        report: (LinkVerification, Int) -> Void
    ) throws -> [LinkVerification] {
        let signals = try SignalDescriptor(Self.interruptions + [SIGCHLD])
        let scratch = try ScratchDirectory(prefix: "linkcond-verify-")
        let root = scratch.url
        defer { scratch.remove() }

        var results = [LinkVerification?](repeating: nil, count: measurements.count)
        var waiting = measurements.indices.filter { !measurements[$0].isFast }
        var waitingAlone = measurements.indices.filter { measurements[$0].isFast }
        var running: [RunningMeasurement] = []
        var obstacle: (any Error)?
        func passOn(_ measurement: inout RunningMeasurement) {
            for text in measurement.newExplanations() {
                explain(measurement.measurement.profile, text)
            }
        }
        while !running.isEmpty || (obstacle == nil && !(waiting + waitingAlone).isEmpty) {
            while obstacle == nil, !waiting.isEmpty, running.count < jobs {
                let index = waiting.removeFirst()
                running.append(try RunningMeasurement(measurements[index], index, in: root))
            }
            if obstacle == nil, running.isEmpty, !waitingAlone.isEmpty {
                let index = waitingAlone.removeFirst()
                running.append(try RunningMeasurement(measurements[index], index, in: root))
            }
            _ = Readiness.wait(for: [signals.descriptor], timeout: .milliseconds(200))
            for place in running.indices { passOn(&running[place]) }
            while let signal = signals.next() {
                guard interruptions.contains(signal.number) else { continue }
                // Kill what does not end on request.
                for measurement in running { measurement.end(obstacle == nil ? SIGTERM : SIGKILL) }
                obstacle = obstacle ?? Interruption(signal: signal.number)
            }
            for measurement in running where measurement.isOverdue { measurement.end(SIGKILL) }
            while let (process, end) = Process.reapAny() {
                guard let place = running.firstIndex(where: { $0.process == process }) else {
                    continue
                }
                var measurement = running.remove(at: place)
                passOn(&measurement)
                guard obstacle == nil else { continue }
                do {
                    let result = try measurement.result(of: end)
                    results[measurement.index] = result
                    report(result, results.count { $0 != nil })
                } catch {
                    obstacle = error
                    for measurement in running { measurement.end(SIGTERM) }
                }
            }
        }
        if let obstacle { throw obstacle }
        return results.compactMap { $0 }
    }

    /// The signals that end a verification early.
    private static let interruptions = [SIGHUP, SIGINT, SIGQUIT, SIGTERM]
}
