import FoundationEssentials
import LinkModel
public import LinuxKernel
public import Matrix

/// The directory of a search: `bisect.json` has the request, `trials/` each run as soon as it has
/// ended, and `logs/` the output.
public final class BisectionStore {
    /// The directory for logs and files of the commands.
    public let directory: ReportDirectory
    /// The request, with the seed of the beginning.
    public let request: BisectionRequest
    /// The runs of before.
    let earlier: [TrialRecord]
    private let lock: OwnedDescriptor

    private static let requestName = "bisect.json"
    private static let trialsName = "trials"
    private static let sizeLimit = 1 << 20

    /// Opens a directory, in which the search begins or goes on.
    ///
    /// - Parameter owner: The owner of new files; nil: the caller.
    public init(
        at path: String, _ request: BisectionRequest, owner: Program.Identity? = nil
    ) throws {
        directory = try ReportDirectory(scratch: path, owner: owner)
        do {
            let contents = try ContainedDirectory(path)
            if contents.has(Self.requestName) {
                let found = try? JSONDecoder().decode(
                    BisectionRequest.self,
                    from: Data(try contents.read(Self.requestName, limit: Self.sizeLimit)))
                guard let found else {
                    throw BisectionError(
                        .badFile,
                        "\(path)/\(Self.requestName): not a file of linkcond bisect, or not a whole "
                            + "one; choose another directory")
                }
                if let difference = found.difference(from: request) {
                    throw BisectionError(
                        .usage,
                        "\(path) is of another search: \(difference); repeat its options to go on "
                            + "with it, or choose another directory")
                }
                self.request = found
            } else {
                if try !contents.names().isEmpty {
                    throw BisectionError(
                        .usage,
                        "\(path) has files of something else; name a new or an empty directory")
                }
                self.request = request
                try directory.write(Self.json(request), to: Self.requestName, isLasting: true)
            }
            lock = try Self.lock(contents, path)
            _ = try contents.makeDirectory(Self.trialsName)
            earlier = try contents.names(in: Self.trialsName).filter { $0.hasSuffix(".json") }
                .compactMap { name in
                    let bytes = try? contents.read(
                        "\(Self.trialsName)/\(name)", limit: Self.sizeLimit)
                    return bytes.flatMap {
                        try? JSONDecoder().decode(TrialRecord.self, from: Data($0))
                    }
                }.sorted { $0.number < $1.number }
        } catch let error as any ErrorWithExitStatus {
            throw error
        } catch {
            throw BisectionError(.cannotWrite, "cannot write \(path): \(error)")
        }
    }

    private static func lock(
        _ contents: ContainedDirectory, _ path: String
    ) throws -> OwnedDescriptor {
        // The runs of a search that was killed end with it, but a moment later.
        let deadline = ContinuousClock.now + .seconds(5)
        while true {
            if let lock = try contents.lock(requestName) { return lock }
            guard ContinuousClock.now < deadline else { break }
            _ = Readiness.wait(for: [], timeout: .milliseconds(50))
        }
        let holder = contents.lockHolder(requestName) ?? "another process"
        throw BisectionError(
            .cannotWrite,
            "cannot write \(path): \(holder) is searching there; wait for its end, or choose "
                + "another directory")
    }

    /// Puts a run on disk.
    func save(_ trial: TrialRecord) throws {
        try directory.write(Self.json(trial), to: "\(Self.trialsName)/\(trial.number).json")
    }

    /// The output of a run.
    func output(_ log: LogFile?) -> String {
        guard let log, let contents = try? ContainedDirectory(directory.path),
            let bytes = try? contents.read(log.path, limit: 4 << 20)
        else { return "" }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func json(_ value: some Encodable) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(value), as: UTF8.self) + "\n"
    }
}
