import LinuxKernel
import SystemPackage

/// `linkcond-bus metered`: makes NetworkManager's metered flags follow the overrides of this
/// network namespace from now on. Returns once they match.
///
/// Without NetworkManager there is nothing to do.
struct MeteredCommand {
    private static let patience = Duration.seconds(20)
    private static let attempts = 10

    func run() throws {
        guard let client = NetworkManagerClient(), client.isHere else { return }
        for _ in 0..<Self.attempts {
            if let answer = try askFollower() {
                guard answer.isEmpty else { throw HelperFailure(answer) }
                return
            }
            let wishes = try MeteredWishes.current()
            guard try client.devices().contains(where: { wishes[$0.interface] != nil }) else {
                return
            }
            let follower = try DetachedProgram(arguments: ["follow"])
            switch follower.hear(within: Self.patience) {
            case FollowCommand.ready: return
            // Another process was started at the same time, or is just ending.
            case FollowCommand.taken: continue
            case nil: throw HelperFailure("NetworkManager does not answer")
            case let problem?: throw HelperFailure(problem)
            }
        }
        throw HelperFailure("NetworkManager's metered flag keeps being changed by others")
    }

    /// Asks the following process to apply the overrides now; nil if there is none.
    private func askFollower() throws -> String? {
        guard
            let channel = try NamespaceService.connect(
                to: FollowCommand.socket, patience: Self.patience)
        else { return nil }
        defer { channel.close() }
        guard let answer = channel.receive(), answer.first == 0 else { return nil }
        return String(decoding: answer.dropFirst(), as: UTF8.self)
    }
}
