import Conditioner
import EngineService

extension DataPlanes {
    /// Whether there is anything for a watcher to end.
    public func hasConditions(endedBy watcher: String) throws -> Bool {
        if try conditioner.hasConditions(endedBy: watcher) { return true }
        return try EngineClient.status()?.contains { $0.limit?.watcher == watcher } ?? false
    }

    /// Takes away what a watcher is to end, and nothing that was applied later.
    ///
    /// Requires `CAP_NET_ADMIN`.
    public func clear(endedBy watcher: String) throws {
        let access = try ApplyLock()
        let emulated = try EngineClient.status()?.filter { $0.limit?.watcher == watcher } ?? []
        if let name = emulated.first?.name {
            _ = try EngineLeftovers.clear(emulated.map(\.index), name: name)
        }
        try conditioner.clear(endedBy: watcher)
        withExtendedLifetime(access) {}
    }

    /// The watchers of what the engine conditions.
    var engineWatchers: Set<String> {
        Set((try? EngineClient.status())?.compactMap(\.limit?.watcher) ?? [])
    }

    /// Ends those of `former` that have nothing left to end.
    func dismiss(_ former: Set<String>) throws {
        let idle = former.subtracting(engineWatchers)
        guard !idle.isEmpty else { return }
        try conditioner.dismissWatchers(idle)
    }
}

extension EngineLimit {
    init(_ limit: TimeLimit) {
        self.init(until: limit.until, process: limit.process, watcher: limit.watcher)
    }
}

extension TimeLimit {
    init(_ limit: EngineLimit) {
        self.init(until: limit.until, process: limit.process, watcher: limit.watcher)
    }
}
