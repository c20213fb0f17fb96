import Conditioner
import EngineService

extension DataPlanes {
    /// The indexes of the interfaces whose conditions a watcher is to end; some may be gone.
    public func interfaces(endedBy watcher: String) throws -> Set<Int32> {
        try conditioner.interfaces(endedBy: watcher)
            .union(emulated().filter { $0.limit?.watcher == watcher }.map(\.index))
    }

    /// Takes away what a watcher is to end, and nothing that was applied later.
    ///
    /// Requires `CAP_NET_ADMIN`.
    public func clear(endedBy watcher: String) throws {
        let access = try applyLock()
        let emulated = try emulated().filter { $0.limit?.watcher == watcher }
        if let name = emulated.first?.name {
            _ = try EngineLeftovers.clear(emulated.map(\.index), name: name)
        }
        try conditioner.clear(endedBy: watcher)
        withExtendedLifetime(access) {}
    }

    /// Conditions of the engine, whether it lives or was killed.
    private struct Emulated {
        var index: Int32
        var name: String
        var limit: EngineLimit?
    }

    private func emulated(_ live: [EmulatedInterface]? = nil) throws -> [Emulated] {
        let live = try live ?? EngineClient.status() ?? []
        return live.map { Emulated(index: $0.index, name: $0.name, limit: $0.limit) }
            + (try EngineLeftovers.find(besides: live)).map {
                Emulated(index: $0.index, name: $0.name, limit: $0.limit)
            }
    }

    /// The watchers of what the engine conditions, or did before it was killed; nil if that is not
    /// known.
    var engineWatchers: Set<String>? { watchers(nil) }

    private func watchers(_ live: [EmulatedInterface]?) -> Set<String>? {
        (try? emulated(live)).map { Set($0.compactMap(\.limit?.watcher)) }
    }

    /// Ends those of `former` that have nothing left to end beside `living`, which the engine
    /// conditions (nil: it has to be asked).
    ///
    /// Those of which it is not known whether they have are left alone: a watcher that finds nothing
    /// to end when its time has come ends by itself.
    func dismiss(_ former: Set<String>?, living: [EmulatedInterface]? = nil) {
        guard let former, let busy = watchers(living) else { return }
        let idle = former.subtracting(busy)
        if !idle.isEmpty { try? conditioner.dismissWatchers(idle) }
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
