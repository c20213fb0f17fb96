public import Conditioner
import EngineService
import Netlink

extension DataPlanes {
    /// An interface and what conditions it.
    public struct Appliance: Sendable, Hashable {
        /// The interface, its conditions and counters.
        public var interface: ConditionedInterface
        /// What conditions it: not `auto`.
        public var backend: Backend
        /// Where the random numbers of the engine began.
        public var seed: UInt64?
        /// Whether the engine has done what the conditions say and nothing else; nil where nobody
        /// knows.
        public var isFaithful: Bool?
    }

    /// All conditions of the namespace, by interface and in the order in which they choose their
    /// traffic. Needs no privilege.
    public func status() throws -> [Appliance] {
        var appliances = try conditioner.status().map {
            Appliance(interface: $0, backend: .kernel)
        }
        var emulated: [EmulatedInterface] = []
        var obstacle: String?
        var leftovers: [EngineLeftover] = []
        do throws(EngineError) {
            emulated = try EngineClient.status() ?? []
            leftovers = try Self.leftovers(beside: emulated)
            if !leftovers.isEmpty {
                // Wires may be those of conditions that were only just being applied or cleared.
                emulated = try EngineClient.status() ?? []
                leftovers = try Self.leftovers(beside: emulated)
            }
        } catch {
            obstacle = error.description
            leftovers = try Self.leftovers(beside: emulated)
        }
        appliances += emulated.map { emulated in
            var appliance = Appliance(emulated)
            appliance.interface.problem =
                appliance.interface.problem
                ?? appliance.interface.limit.flatMap(conditioner.problem(with:))
            return appliance
        }
        for leftover in leftovers {
            appliances.append(Appliance(leftover, obstacle: obstacle))
        }
        return appliances.sorted { $0.interface.interface < $1.interface.interface }
    }

    private static func leftovers(
        beside live: [EmulatedInterface]
    ) throws(EngineError) -> [EngineLeftover] {
        do {
            return try EngineLeftovers.find(besides: live)
        } catch {
            throw EngineError("\(error)")
        }
    }
}

extension EngineLeftover {
    /// What became of the engine, behind its name.
    fileprivate var fate: String {
        switch end {
        case nil: "has died"
        case .standstill: "stood still and was ended"
        case .guardian: "has ended because its guardian (linkcond-guard) was killed"
        case .hooks: "has ended because nft, by which it got its packets, was killed"
        }
    }
}

extension DataPlanes.Appliance {
    fileprivate init(_ emulated: EmulatedInterface) {
        interface = ConditionedInterface(
            on: emulated.interface, name: emulated.name, selectors: emulated.selectors,
            profile: emulated.profile, since: emulated.since,
            limit: emulated.limit.map(TimeLimit.init),
            ways: emulated.ways.mapValues {
                ConditionedInterface.Way($0.conditions, counted: $0.counters)
            },
            dnsDelay: emulated.dnsDelay, problem: emulated.flaw)
        backend = .engine
        seed = emulated.seed
        isFaithful = emulated.flaw == nil
    }

    fileprivate init(_ leftover: EngineLeftover, obstacle: String?) {
        interface = ConditionedInterface(
            on: leftover.interface, name: leftover.name, profile: leftover.profile,
            since: leftover.since, limit: leftover.limit.map(TimeLimit.init),
            problem: obstacle
                ?? "the packet engine \(leftover.fate), so that traffic is not conditioned any "
                + "more; apply again, or linkcond clear takes away what it left")
        backend = .engine
    }
}
