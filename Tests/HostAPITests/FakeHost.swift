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

    func feed(of process: Int32?) async throws -> AsyncStream<String> {
        AsyncStream { continuation in
            if process == nil { continuation.yield("{\"interfaces\":[]}") }
            continuation.finish()
        }
    }
}
