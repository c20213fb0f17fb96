import FoundationEssentials
import LinkUnits
import LinuxKernel

/// The directory over which the two programs that measure a link agree on a beginning and leave
/// what they saw.
///
/// Nothing of that goes over the link, which may lose everything. Files appear whole or not at all.
public struct Rendezvous: Sendable {
    /// The ends of the link.
    public enum Role: String, Sendable, Hashable, Codable, CaseIterable {
        /// Where the app is.
        case app
        /// Behind the link.
        case far
    }

    private let directory: String

    /// Uses a directory that exists and is empty.
    public init(directory: String) {
        self.directory = directory
    }

    private func path(_ name: String) -> String { "\(directory)/\(name).json" }

    /// Leaves the plan.
    public func write(_ plan: ProbePlan) throws(VerificationError) { try write(plan, "plan") }

    /// The plan.
    public func plan() throws(VerificationError) -> ProbePlan { try read("plan") }

    /// Leaves what `role` saw.
    public func write(_ report: ProbeReport, of role: Role) throws(VerificationError) {
        try write(report, role.rawValue)
    }

    /// What both saw.
    public func report() throws(VerificationError) -> ProbeReport {
        let app: ProbeReport = try read(Role.app.rawValue)
        return app.merged(with: try read(Role.far.rawValue))
    }

    /// Says that `role` is ready, waits for the other, and returns when both begin, by
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

    /// Waits for the other end's report, whose process may be ended with this one.
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

    private func write(_ value: some Encodable, _ name: String) throws(VerificationError) {
        do {
            try JSONEncoder().encode(value)
                .write(to: URL(filePath: path(name)), options: .atomic)
        } catch {
            throw VerificationError("cannot write \(path(name)): \(error)")
        }
    }

    private func read<Value: Decodable>(_ name: String) throws(VerificationError) -> Value {
        do {
            return try JSONDecoder().decode(
                Value.self, from: Data(contentsOf: URL(filePath: path(name))))
        } catch {
            throw VerificationError("cannot read \(path(name)): \(error)")
        }
    }
}
