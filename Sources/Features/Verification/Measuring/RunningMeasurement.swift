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
        process = try Process.fork { [directory] in
            Process.dieWithParent()
            Process.exitAtOnce(Self.measure(measurement, in: directory))
        }
    }

    /// Whether it takes so long that something must be wrong.
    var isOverdue: Bool { .now > deadline }

    /// Sends a signal to end it.
    func end(_ signal: Int32 = SIGTERM) {
        Process.signal(signal, to: process)
    }

    /// The explanations that have come since it was last asked, such as why this data plane.
    mutating func newExplanations() -> [String] {
        // The last line may be incomplete.
        let lines = text("explanations").split(separator: "\n", omittingEmptySubsequences: false)
            .dropLast()
        defer { explanationCount = lines.count }
        return lines.dropFirst(explanationCount).map(String.init)
    }

    /// The result, after it has ended.
    func result(of end: ProcessEnd) throws(LinkFailure) -> LinkVerification {
        guard end == .exited(0) else {
            let said = text("output").split(separator: "\n").first.map(String.init)
            let silence =
                "its process ended with \(end.shellCode) and left no message; see whether there is "
                + "room in \(directory), or have TMPDIR name another directory"
            throw LinkFailure(
                measurement, because: said ?? silence,
                status: ExitStatus(rawValue: end.shellCode) ?? .failed)
        }
        let place = Rendezvous(directory: directory)
        let account: MeasuredLink.Account
        var report: ProbeReport
        do {
            account = try place.read("account")
            report = try place.report()
        } catch {
            throw LinkFailure(measurement, because: error.description, status: error.status)
        }
        report.emulation = account.emulation
        let judge = LinkJudge(
            measurement.conditions, plan: measurement.plan, report: report,
            effort: measurement.effort, tolerance: measurement.tolerance)
        return LinkVerification(
            profile: measurement.profile, backend: account.plane, checks: judge.checks,
            flaw: account.flaw)
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
                _ = try? explanations.writeAll("\(text)\n".utf8)
            }
            try Rendezvous(directory: directory).write(try link.run(), "account")
            return 0
        } catch {
            _ = try? FileDescriptor.standardError.writeAll("\(error)\n".utf8)
            // If a sandbox cannot be made, it is the host's fault.
            let status =
                error is SandboxError
                ? .unavailable : (error as? VerificationError)?.status ?? .internalFault
            return status.rawValue
        }
    }

    private static func append(_ name: String, in directory: String) throws -> FileDescriptor {
        try .open(
            FilePath("\(directory)/\(name)"), .writeOnly,
            options: [.create, .append, .closeOnExec], permissions: .ownerReadWrite)
    }
}
