import Foundation
import LinkTesting

/// A client and a server in one program, under conditions that also hold on the loopback.
enum LoopbackProgram {
    /// What it measures; times in milliseconds, rates in bits per second.
    struct Report: Decodable {
        var connect: Double?
        var down: Double?
        var up: Double?
        var serverPort: Int?
        var clientPort: Int?
        let asked: Int
        let served: Int
        let answered: Int
        let shortest: Double?
    }

    /// Runs it.
    ///
    /// - Parameters:
    ///   - profile: a profile and what changes it, as arguments of `run`.
    ///   - port: the server's; 0 lets the kernel choose.
    ///   - down: how many bytes of TCP the server sends, if any.
    ///   - up: how many bytes the client sends.
    ///   - patience: how long the client waits for an answer over UDP.
    static func report(
        _ profile: [String], _ address: String, port: Int, down: Int = 0, up: Int = 0,
        patience: Duration = .seconds(20), by caller: Caller = .root
    ) async throws -> Report {
        let fixture = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../Fixtures/loopback.py").path
        let program = try String(contentsOfFile: fixture, encoding: .utf8)
        let output = try await SandboxedRun(
            arguments: profile + [
                "--loopback", "--uplink", "none", "--", "python3", "-c", program, address,
                "\(port)", "\(down)", "\(up)", "\(patience / .seconds(1))",
            ], by: caller
        ).output()
        return try JSONDecoder().decode(Report.self, from: Data(output.utf8))
    }
}
