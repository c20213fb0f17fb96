import Foundation
import LinkTesting
import Synchronization
import Testing

/// Who calls `linkcond run`.
enum Caller: String, CaseIterable, Sendable, CustomTestStringConvertible {
    case root, ordinaryUser

    /// A user that no host has, and so one without any rights.
    static let ordinaryUserID: UInt32 = 61_234

    var userID: UInt32? { self == .root ? nil : Self.ordinaryUserID }

    var testDescription: String { self == .root ? "as root" : "as an ordinary user" }
}

/// `linkcond run` as a user would type it, behind the words `linkcond run`.
struct SandboxedRun: Sendable {
    var arguments: [String]
    var caller = Caller.root

    init(_ arguments: String..., by caller: Caller = .root) {
        self.arguments = arguments
        self.caller = caller
    }

    init(arguments: [String], by caller: Caller = .root) {
        self.arguments = arguments
        self.caller = caller
    }

    /// Runs it to its end.
    func result(
        input: String = "", environment: [String: String] = [:], workingDirectory: String = "/",
        timeout: Duration = .programLimit
    ) async throws -> ProcessResult {
        try await runProcess(
            try Self.program(), ["run"] + arguments,
            environment: ProcessInfo.processInfo.environment.merging(environment) { $1 },
            workingDirectory: workingDirectory, input: input, userID: caller.userID,
            timeout: timeout)
    }

    /// Runs it to its end, which has to be a good one, and returns what the command printed.
    func output(timeout: Duration = .programLimit) async throws -> String {
        let result = try await result(timeout: timeout)
        guard result.exitCode == 0 else {
            throw TestNetwork.Failure(
                "run \(arguments) ended with \(result.exitCode ?? -1): \(result.standardOutput) "
                    + result.standardError)
        }
        return result.standardOutput
    }

    /// A copy of the program that everybody may execute, wherever the repository is; beside it one
    /// of its helper.
    static func program() throws -> String {
        try programCopy.withLock { copy in
            if let copy { return copy + "/linkcond" }
            let directory = FileManager.default.temporaryDirectory
                .appending(
                    // The kernel lab has the host's files and process numbers of its own.
                    path: "linkcond-test-program-\(UUID().uuidString)"
                )
                .path
            let program = try TestNetwork.program()
            // By another process: a child of this one that is just being made could keep the file
            // open for writing, and then nobody may execute it.
            try shell(
                """
                mkdir -m 755 \(directory) && cp \(program) \(directory)/linkcond \
                    && chmod 755 \(directory)/linkcond
                for name in bus api; do
                    helper=$(dirname \(program))/linkcond-$name
                    [ ! -e $helper ] || cp $helper \(directory)
                done
                """)
            atexit { Self.removeProgram() }
            copy = directory
            return directory + "/linkcond"
        }
    }

    private static let programCopy = Mutex<String?>(nil)

    private static func removeProgram() {
        programCopy.withLock { copy in
            if let copy { try? FileManager.default.removeItem(atPath: copy) }
        }
    }
}
