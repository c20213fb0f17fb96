import HTTPAPI
import HostAPI
import Synchronization

/// A host on which `apply` and `clear` do what their words say.
final class FakeHost: HostController {
    private struct State {
        var commands: [[String]] = []
        var profiles: [String: String] = [:]
        var failure: CommandResult?
    }

    private let state = Mutex(State())

    /// What was run, without `status`.
    var commands: [[String]] { state.withLock(\.commands) }

    /// What the next command says.
    func fail(_ result: CommandResult) { state.withLock { $0.failure = result } }

    func run(_ arguments: [String]) async throws -> CommandResult {
        state.withLock { state in
            if arguments.first == "show" {
                let kind = arguments[1] == "Elevator" ? "timeline" : "down"
                return CommandResult(exitCode: 0, output: "{\"\(kind)\":[]}")
            }
            if arguments == ["status", "--json"] {
                let all = state.profiles.sorted { $0.key < $1.key }.map { interface, profile in
                    "{\"interface\":\"\(interface)\",\"name\":\"default\",\"profile\":"
                        + "\"\(profile)\",\"version\":\"v-\(profile)\"}"
                }
                return CommandResult(
                    exitCode: 0, output: "{\"conditioned\":[\(all.joined(separator: ","))]}")
            }
            state.commands.append(arguments)
            if let failure = state.failure.take() { return failure }
            if let index = arguments.firstIndex(of: "-i") {
                let interface = arguments[index + 1]
                if arguments[0] == "apply" { state.profiles[interface] = arguments[1] }
                if arguments[0] == "clear" { state.profiles[interface] = nil }
            } else if arguments == ["clear"] {
                state.profiles = [:]
            }
            return CommandResult(exitCode: 0, output: "[]", messages: ["note: as told"])
        }
    }

    /// Goes on until it is interrupted.
    func start(_ arguments: [String]) async throws -> StartedCommand {
        let failure = state.withLock { state in
            state.commands.append(arguments)
            return state.failure.take()
        }
        let (lines, continuation) = AsyncStream.makeStream(of: String.self)
        for line in failure?.messages ?? ["note: as told", "2.500 s  eth0: down"] {
            continuation.yield(line)
        }
        if failure != nil { continuation.finish() }
        return StartedCommand(
            process: 77, lines: lines, interrupt: { continuation.finish() },
            exitCode: { failure?.exitCode ?? 130 })
    }

    func report(at path: String) async throws -> [UInt8]? { Array("<p>\(path)</p>".utf8) }

    func feed(of process: Int32?) async throws -> AsyncStream<String> {
        AsyncStream { continuation in
            if process == nil {
                continuation.yield(
                    """
                    {"interfaces":[],"programs":[{"pid":7,"report":"/tmp/report.html"},
                    {"pid":8,"report":null}]}
                    """)
            }
            continuation.finish()
        }
    }
}
