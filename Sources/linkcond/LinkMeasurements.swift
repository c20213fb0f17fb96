import FoundationEssentials
import LinkModel
import LinkUnits
import LinuxKernel
import SystemPackage
import Verification

/// A profile that `verify` measures.
struct LinkMeasurement {
    let profile: String
    let conditions: LinkConditions
    let plan: ProbePlan
    let effort: Effort
    /// What makes linkcond set the link up.
    let arguments: [String]

    /// Whether the machine has enough to do with it alone.
    var isFast: Bool {
        [conditions.up, conditions.down].contains { direction in
            direction.loss.mean < .one
                && direction.bandwidth.map { $0 > .megabitsPerSecond(20) } ?? true
        }
    }
}

/// What `verify` found out about a profile.
struct LinkVerification {
    let profile: String
    let backend: String
    let checks: [Check]

    /// Whether nothing is outside tolerance.
    var isAsPromised: Bool { checks.allSatisfy { $0.verdict != .failed } }
}

/// Measures links, each set up by a process of its own: one that makes namespaces can do nothing
/// else beside.
enum LinkMeasurements {
    /// Roughly what setting a link up and taking it down takes.
    private static let setUp = Duration.milliseconds(400)

    /// About how long it will take.
    static func expectedTime(of measurements: [LinkMeasurement], jobs: Int) -> Duration {
        let time = { (isFast: Bool) in
            measurements.filter { $0.isFast == isFast }
                .reduce(Duration.zero) { $0 + $1.plan.duration + setUp }
        }
        let longest = measurements.map(\.plan.duration).max() ?? .zero
        return max(time(true) + time(false) / jobs, longest)
    }

    /// Measures all, up to `jobs` of the slow ones at a time, and returns what was found in the
    /// order of `measurements`.
    ///
    /// - Parameter report: is called after each, with how many are done.
    static func run(
        _ measurements: [LinkMeasurement], jobs: Int, report: (LinkVerification, Int) -> Void
    ) throws -> [LinkVerification] {
        let root = FileManager.default.temporaryDirectory.appending(
            path: "linkcond-verify-\(UUID().uuidString)")
        // Only this user's probes may write there.
        try FileManager.default.createDirectory(
            at: root, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
        defer { try? FileManager.default.removeItem(at: root) }

        var results = [LinkVerification?](repeating: nil, count: measurements.count)
        var waiting = measurements.indices.filter { !measurements[$0].isFast }
        var waitingAlone = measurements.indices.filter { measurements[$0].isFast }
        var running: [RunningMeasurement] = []
        defer { for measurement in running { measurement.child.kill() } }
        while !waiting.isEmpty || !waitingAlone.isEmpty || !running.isEmpty {
            while !waiting.isEmpty, running.count < jobs {
                let index = waiting.removeFirst()
                running.append(try RunningMeasurement(measurements[index], index, in: root))
            }
            if running.isEmpty, !waitingAlone.isEmpty {
                let index = waitingAlone.removeFirst()
                running.append(try RunningMeasurement(measurements[index], index, in: root))
            }
            _ = ProbeSocket.wait(for: [], until: ProbeClock.now + .milliseconds(20))
            for place in running.indices.reversed() {
                guard let result = try running[place].result() else { continue }
                results[running[place].index] = result
                running.remove(at: place)
                report(result, results.count { $0 != nil })
            }
        }
        return results.compactMap { $0 }
    }
}

/// A measurement under way.
private struct RunningMeasurement {
    let measurement: LinkMeasurement
    let index: Int
    let child: ChildProgram
    private let directory: String
    private let deadline: Duration

    /// For setting up, and for probes that a busy machine holds up.
    private static let patience = Duration.seconds(60)

    init(_ measurement: LinkMeasurement, _ index: Int, in root: URL) throws {
        self.measurement = measurement
        self.index = index
        directory = root.appending(path: "\(index)").path
        try FileManager.default.createDirectory(
            atPath: directory, withIntermediateDirectories: false)
        try MeetingPlace(directory: directory).write(measurement.plan)
        let output = try FileDescriptor.open(
            FilePath(directory + "/output"), .writeOnly, options: [.create, .append],
            permissions: .ownerReadWrite)
        defer { try? output.close() }
        child = try ChildProgram(
            arguments: measurement.arguments + ["--directory", directory], output: output)
        deadline = ProbeClock.now + measurement.plan.duration + Self.patience
    }

    /// What was found, if it has ended.
    func result() throws -> LinkVerification? {
        guard let end = child.end() else {
            guard ProbeClock.now < deadline else {
                child.kill()
                throw failure("it took too long", code: ExitStatus.failed.rawValue)
            }
            return nil
        }
        switch end {
        case .exited(0): break
        case .exited(let code): throw failure("it ended with code \(code)", code: code)
        case .killed(let signal): throw failure("signal \(signal) ended it", code: 128 + signal)
        }
        let place = MeetingPlace(directory: directory)
        let judge = LinkJudge(
            measurement.conditions, plan: measurement.plan, report: try place.report(),
            effort: measurement.effort)
        return LinkVerification(
            profile: measurement.profile, backend: text("backend"), checks: judge.checks)
    }

    private func text(_ name: String) -> String {
        let data = FileManager.default.contents(atPath: "\(directory)/\(name)") ?? Data()
        return String(decoding: data, as: UTF8.self)
    }

    private func failure(_ reason: String, code: Int32) -> LinkFailure {
        let said = text("output").split(separator: "\n").last.map(String.init)
        let prefix = "linkcond: "
        let cause = said.map { $0.hasPrefix(prefix) ? String($0.dropFirst(prefix.count)) : $0 }
        return LinkFailure(
            exitStatus: ExitStatus(rawValue: code) ?? .failed,
            description: "cannot measure \(measurement.profile): \(cause ?? reason)")
    }
}

/// A link could not be set up or measured.
struct LinkFailure: Error, CustomStringConvertible {
    let exitStatus: ExitStatus
    let description: String
}
