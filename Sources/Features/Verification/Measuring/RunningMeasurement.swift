import FoundationEssentials
import Glibc
import LinkModel
import LinuxKernel
import Sandbox
import SystemPackage

/// A running measurement in a fork of this process: a process that has made namespaces can do
/// nothing else.
struct RunningMeasurement {
    let measurement: LinkMeasurement
    let index: Int
    /// The fork's process ID.
    let process: Int32
    private let directory: String
    private let deadline: ContinuousClock.Instant
    private var explanationCount = 0

    /// The time limit for setup and for probes delayed by a busy machine.
    private static let patience = Duration.seconds(90)

    /// Starts the measurement, with `root` for its files.
    init(_ measurement: LinkMeasurement, _ index: Int, in root: URL) throws {
        self.measurement = measurement
        self.index = index
        directory = root.appending(path: "\(index)").path
        deadline = .now + measurement.plan.duration + Self.patience
        try FileManager.default.createDirectory(
            atPath: directory, withIntermediateDirectories: false)
        try Rendezvous(directory: directory).write(measurement.plan)
        guard let process = try Process.fork() else {
            Process.dieWithParent()
            Process.exitAtOnce(Self.measure(measurement, in: directory))
        }
        self.process = process
    }

    /// Whether it takes so long that something must be wrong.
    var isOverdue: Bool { .now > deadline }

    /// Sends a signal to end it.
    func end(_ signal: Int32 = SIGTERM) {
        Process.signal(signal, to: process)
    }

    /// The explanations that have come since it was last asked, such as why this data plane.
    mutating func newExplanations() -> [String] {
        let lines = text("explanations").split(separator: "\n")
        defer { explanationCount = lines.count }
        return lines.dropFirst(explanationCount).map(String.init)
    }

    /// The result, after it has ended.
    func result(of end: ProcessEnd) throws(LinkFailure) -> LinkVerification {
        let place = Rendezvous(directory: directory)
        guard end == .exited(0),
            let account = try? JSONDecoder().decode(
                MeasuredLink.Account.self, from: Data(text("account").utf8)),
            let plane = DataPlaneKind(rawValue: account.plane),
            var report = try? place.report()
        else {
            let said = text("output").split(separator: "\n").first.map(String.init)
            throw LinkFailure(measurement, because: said ?? "it ended with \(end)", end: end)
        }
        report.emulation = account.emulation
        let judge = LinkJudge(
            measurement.conditions, plan: measurement.plan, report: report,
            effort: measurement.effort)
        return LinkVerification(
            profile: measurement.profile, backend: plane, checks: judge.checks, flaw: account.flaw)
    }

    private func text(_ name: String) -> String {
        let data = FileManager.default.contents(atPath: "\(directory)/\(name)") ?? Data()
        return String(decoding: data, as: UTF8.self)
    }

    // MARK: In the fork

    /// Measures, writes the result to `directory`, and returns the exit code.
    private static func measure(_ measurement: LinkMeasurement, in directory: String) -> Int32 {
        do {
            let output = try append("output", in: directory)
            _ = try output.duplicate(as: .standardOutput)
            _ = try output.duplicate(as: .standardError)
            let explanations = try append("explanations", in: directory)
            let link = MeasuredLink(measurement: measurement, directory: directory) { text in
                // A line is written at once, so that no part of one is read.
                _ = try? explanations.writeAll("\(text)\n".utf8)
            }
            let account = try link.run()
            try JSONEncoder().encode(account).write(to: URL(filePath: directory + "/account"))
            return 0
        } catch {
            _ = try? FileDescriptor.standardError.writeAll("\(error)\n".utf8)
            // If a sandbox cannot be made, it is the host's fault.
            return (error is SandboxError ? ExitStatus.unavailable : .internalFault).rawValue
        }
    }

    private static func append(_ name: String, in directory: String) throws -> FileDescriptor {
        try .open(
            FilePath("\(directory)/\(name)"), .writeOnly,
            options: [.create, .append, .closeOnExec], permissions: .ownerReadWrite)
    }
}
