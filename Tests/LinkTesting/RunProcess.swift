import Foundation
import Subprocess
import SystemPackage

/// How a process ended and what it said.
public struct ProcessResult: Sendable, Hashable {
    /// The exit code, or nil if a signal ended the process.
    public let exitCode: Int32?
    /// The signal that ended the process, if one did.
    public let signal: Int32?
    /// What it wrote to standard output.
    public let standardOutput: String
    /// What it wrote to standard error.
    public let standardError: String
}

extension Duration {
    /// What no program takes that does not hang, however busy the machine is.
    public static let programLimit = Duration.seconds(300)
}

/// A process was killed because it took too long.
public struct ProcessTimeout: Error, CustomStringConvertible {
    /// What ran, and what it had said until then.
    public let description: String
}

/// Runs a program until it ends; kills it and the processes of its session after `timeout`.
///
/// All three streams are files: nothing blocks on a pipe that is full or that a process in the
/// background holds open, and what was said before a time-out is there to see.
///
/// - Parameter environment: all variables of the process; nil for those of this one.
/// - Parameter userID: another user to run as, which only root may ask for.
public func runProcess(
    _ executable: String, _ arguments: [String] = [], environment: [String: String]? = nil,
    workingDirectory: String? = nil, input: String = "", userID: UInt32? = nil,
    timeout: Duration = .programLimit
) async throws -> ProcessResult {
    try await withTemporaryDirectory { directory in
        let streams = directory.path
        let inputFile = try directory.write(input, to: "input")
        let standardInput = try FileDescriptor.open(FilePath(inputFile), .readOnly)
        let outputs = try ["output", "error"].map { name in
            try FileDescriptor.open(
                FilePath("\(streams)/\(name)"), .writeOnly, options: [.create, .append],
                permissions: .ownerReadWrite)
        }
        var options = PlatformOptions()
        options.createSession = true
        options.teardownSequence = [
            .send(signal: .kill, toProcessGroup: true, allowedDurationToNextStep: .seconds(1))
        ]
        // Subprocess changes the user between fork and exec by functions of glibc that wait for
        // threads which the copy does not have, so now and then forever.
        let user = userID.map { ["setpriv", "--reuid", "\($0)", "--clear-groups", "--"] } ?? []
        let words = user + [executable] + arguments
        let configuration = Configuration(
            executable: words[0].contains("/") ? .path(FilePath(words[0])) : .name(words[0]),
            arguments: Arguments(Array(words.dropFirst())),
            environment: environment.map { .custom(variables($0)) } ?? .inherit,
            workingDirectory: workingDirectory.map { FilePath($0) }, platformOptions: options)
        let status = try await withTimeout(timeout) {
            try await run(
                configuration,
                input: .fileDescriptor(standardInput, closeAfterSpawningProcess: true),
                output: .fileDescriptor(outputs[0], closeAfterSpawningProcess: true),
                error: .fileDescriptor(outputs[1], closeAfterSpawningProcess: true)
            ).terminationStatus
        }
        let texts = try ["output", "error"].map { name in
            let data = try Data(contentsOf: URL(filePath: "\(streams)/\(name)"))
            return String(decoding: data, as: UTF8.self)
        }
        guard let status else {
            throw ProcessTimeout(
                description: "\(executable) \(arguments.joined(separator: " ")) was killed after "
                    + "\(timeout); output: \(texts[0]); error: \(texts[1])")
        }
        return ProcessResult(status, texts)
    }
}

extension ProcessResult {
    fileprivate init(_ status: TerminationStatus, _ texts: [String]) {
        switch status {
        case .exited(let code): (exitCode, signal) = (code, nil)
        case .signaled(let number): (exitCode, signal) = (nil, number)
        }
        (standardOutput, standardError) = (texts[0], texts[1])
    }
}

private func variables(_ environment: [String: String]) -> [Environment.Key: String] {
    Dictionary(
        uniqueKeysWithValues: environment.compactMap { key, value in
            Environment.Key(rawValue: key).map { ($0, value) }
        })
}

/// The result of `body`, or nil if `timeout` passes before; `body` is cancelled then.
private func withTimeout<Result: Sendable>(
    _ timeout: Duration, _ body: @escaping @Sendable () async throws -> Result
) async throws -> Result? {
    try await withThrowingTaskGroup(of: Result?.self) { group in
        group.addTask { try await body() }
        group.addTask {
            try await Task.sleep(for: timeout)
            return nil
        }
        let first = try await group.next() ?? nil
        group.cancelAll()
        return first
    }
}
