import FoundationEssentials
import LinkModel
import LinkUnits
import LinuxKernel

/// The directory through which the two probes of a link agree on a start time and exchange results.
///
/// Nothing of this uses the link, which may lose everything. Files are written atomically.
public struct Rendezvous: Sendable {
    /// The ends of the link.
    public enum Role: String, Sendable, Hashable, Codable, CaseIterable {
        /// The app's end.
        case app
        /// The far end.
        case far
    }

    private let directory: String

    /// Uses an existing, empty directory.
    public init(directory: String) {
        self.directory = directory
    }

    private func path(_ name: String) -> String { "\(directory)/\(name).json" }

    /// Writes the plan.
    public func write(_ plan: ProbePlan) throws(VerificationError) { try write(plan, "plan") }

    /// Reads the plan.
    public func plan() throws(VerificationError) -> ProbePlan { try read("plan") }

    /// Writes the report of `role`.
    public func write(_ report: ProbeReport, of role: Role) throws(VerificationError) {
        try write(report, role.rawValue)
    }

    /// Reads both reports.
    public func report() throws(VerificationError) -> ProbeReport {
        let app: ProbeReport = try read(Role.app.rawValue)
        return app.merged(with: try read(Role.far.rawValue))
    }

    /// Reports that `role` is ready, waits for the other, and returns the common start time by
    /// `KernelClock.monotonic`.
    func meet(as role: Role, patience: Duration) throws(VerificationError) -> Duration {
        switch role {
        case .app:
            try wait(for: "ready", patience)
            let start = KernelClock.monotonic + .milliseconds(50)
            try write([start], "start")
            return start
        case .far:
            try write([KernelClock.monotonic], "ready")
            try wait(for: "start", patience)
            let start: [Duration] = try read("start")
            return start.first ?? .zero
        }
    }

    /// Waits for the other end's report, because the end of this process may end the other's.
    func waitForReport(of role: Role, patience: Duration) throws(VerificationError) {
        try wait(for: role.rawValue, patience)
    }

    private func wait(for name: String, _ patience: Duration) throws(VerificationError) {
        let deadline = KernelClock.monotonic + patience
        while !FileManager.default.fileExists(atPath: path(name)) {
            guard KernelClock.monotonic < deadline else {
                throw VerificationError(
                    "the other end of the link did not get as far as \(path(name)) in "
                        + "\(patience.unitText)")
            }
            _ = Readiness.wait(for: [], until: KernelClock.monotonic + .milliseconds(2))
        }
    }

    func write(_ value: some Encodable, _ name: String) throws(VerificationError) {
        do {
            let text = String(decoding: try JSONEncoder().encode(value), as: UTF8.self)
            try ReplacementFile(at: path(name), owner: nil).write(text)
        } catch {
            throw VerificationError(
                "cannot write \(path(name)): \(error); TMPDIR may name another directory",
                status: .cannotWrite)
        }
    }

    func read<Value: Decodable>(_ name: String) throws(VerificationError) -> Value {
        do {
            return try JSONDecoder().decode(
                Value.self, from: Data(contentsOf: URL(filePath: path(name))))
        } catch {
            throw VerificationError("cannot read \(path(name)), which others must not change")
        }
    }
}
