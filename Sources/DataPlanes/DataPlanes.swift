public import Conditioner
import EngineService
import FoundationEssentials
import LinkModel
import LinuxKernel
import Netlink

/// Conditions interfaces of the calling thread's network namespace, by the kernel or by the packet
/// engine, whichever can do what is asked.
///
/// Both data planes mark what they add; so each interface is known to be conditioned by one of
/// them, and is changed and cleared by that one.
public struct DataPlanes {
    /// What carries out conditions.
    public enum Backend: String, Sendable, CaseIterable {
        /// The kernel where it can do all that is asked, else the packet engine.
        case auto
        /// Qdiscs.
        case kernel
        /// The packet engine.
        case engine
    }

    let conditioner: Conditioner
    private let environment: [String: String]

    /// Opens a netlink session; `environment` says where files may be put (`XDG_RUNTIME_DIR`).
    public init(environment: [String: String]) throws(ConditionerError) {
        conditioner = try Conditioner(environment: environment)
        self.environment = environment
    }

    /// Waits until no other process chooses a data plane or has one work.
    func applyLock() throws(KernelError) -> ApplyLock { try ApplyLock(environment: environment) }

    /// Takes the conditions from the interfaces `names`, or from all of the namespace for nil,
    /// whoever applied them; with `conditions` only what was applied under that name.
    ///
    /// Requires `CAP_NET_ADMIN`. Returns the names of the interfaces that were conditioned.
    public func clear(_ names: [String]?, conditions: String? = nil) throws -> [String] {
        guard Privilege.mayChangeNetwork else {
            throw ConditionerError.missingPrivilege("clearing an interface")
        }
        let access = try applyLock()
        let indices = try names.map { try conditioner.links(named: $0).map(\.index) }
        let watchers = engineWatchers
        let (emulated, others) = try EngineLeftovers.clear(indices, name: conditions)
        let conditioned: [String]
        do {
            conditioned = try conditioner.clear(names, conditions: conditions)
        } catch {
            // One of the data planes is enough to have them.
            guard !emulated.isEmpty, error.isOfUnknownName else { throw error.adding(others) }
            conditioned = []
        }
        dismiss(watchers)
        NamespaceService.removeAbandoned()
        withExtendedLifetime(access) {}
        return emulated + conditioned.filter { !emulated.contains($0) }
    }
}

extension ConditionerError {
    /// Whether there are no conditions of a name.
    fileprivate var isOfUnknownName: Bool {
        if case .noSuchConditions = self { true } else { false }
    }

    /// The error with more names of conditions that there are.
    fileprivate func adding(_ names: Set<String>) -> ConditionerError {
        guard case .noSuchConditions(let name, let known) = self else { return self }
        return .noSuchConditions(name: name, known: names.union(known).sorted())
    }
}

/// Held while one of the data planes is chosen and set to work, so that not both are.
struct ApplyLock: ~Copyable {
    private let lock: FileLock?

    fileprivate init(environment: [String: String]) throws(KernelError) {
        do {
            lock = try StateDirectory(environment: environment).lock("apply.lock")
        } catch {
            // Without the right to write there nobody gets far; the planes say so themselves.
            guard error.isMissingPrivilege else { throw error }
            lock = nil
        }
    }
}
