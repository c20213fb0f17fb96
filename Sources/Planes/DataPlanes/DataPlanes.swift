public import DataPlane
import EnginePlane
import KernelPlane
public import LinkModel
import LinuxKernel
import Netlink

/// Conditions interfaces of the calling thread's network namespace, by whichever data plane can do
/// what is asked.
///
/// All data planes mark what they add; so each interface is known to be conditioned by one of them,
/// and is changed and cleared by that one.
public struct DataPlanes {
    private let environment: [String: String]

    /// `environment` says where files may be put (`XDG_RUNTIME_DIR`).
    public init(environment: [String: String]) {
        self.environment = environment
    }

    // MARK: Applying

    /// What `apply` did.
    public struct Outcome: Sendable {
        /// What the data plane says of it.
        public var report: ApplyReport
        /// Which data plane it is and why, for people.
        public var explanation: String
        /// What the user should know, though it is done.
        public var remarks: [String]
    }

    /// Conditions all interfaces of the request, or none if one of them cannot be.
    ///
    /// Requires `CAP_NET_ADMIN`.
    public func apply(_ request: ApplyRequest, backend: Backend) throws -> Outcome {
        guard Privilege.mayChangeNetwork else {
            throw KernelPlaneError.missingPrivilege("conditioning an interface")
        }
        return try HostState.withLock(environment) { state in
            let links = try HostLinks().links(of: request)
            let planes = try OpenPlanes(environment)
            let choice = try planes.choose(request, on: links, backend, state)
            var remarks = try Self.remarks(on: links)
            if let drawback = choice.drawback {
                remarks.append("by the \(choice.kind.title), though \(drawback)")
            }
            var explanation = choice.explanation
            let report: ApplyReport
            do {
                report = try planes.apply(request, on: links, by: choice.kind, state)
            } catch let error as any PlaneRefusal where choice.isNegotiable && error.isLack {
                let other = planes.alternative(to: choice.kind).kind
                guard let done = try? planes.apply(request, on: links, by: other, state) else {
                    throw error
                }
                report = done
                explanation = "\(other.title): \(error)"
                if choice.kind == .engine {
                    remarks.append("by the \(other.title), though \(choice.reason)")
                }
            }
            dismiss(report.formerWatchers)
            return Outcome(report: report, explanation: explanation, remarks: remarks)
        }
    }

    /// What `apply` would do, as commands for a shell. Needs no privilege and changes nothing;
    /// without one, what the kernel lacks is not known.
    public func dryRun(_ request: ApplyRequest, backend: Backend) throws -> String {
        let links = try HostLinks().links(of: request)
        let planes = try OpenPlanes(environment)
        let choice = try planes.choose(request, on: links, backend, nil)
        do {
            return try planes[choice.kind].script(request, on: links)
        } catch let error as any PlaneRefusal where choice.isNegotiable && error.isLack {
            return try planes.alternative(to: choice.kind).script(request, on: links)
        }
    }

    /// What to ask for, for all of several conditions that an interface is to have one after the
    /// other: the data plane is not changed in between.
    public func backend(_ backend: Backend, forAll conditions: [LinkConditions]) throws -> Backend {
        guard backend == .auto else { return backend }
        let kernel = try OpenPlanes(environment)[.kernel]
        let lack = kernel.lack(for: PlaneDemand(conditions), nil)
        return PlaneChoice(.auto, kernelLacks: lack).kind == .engine ? .engine : .auto
    }

    // MARK: Clearing

    /// Takes the conditions from the interfaces `names`, or from all of the namespace for nil,
    /// whoever applied them; with `conditions` only what was applied under that name.
    ///
    /// Requires `CAP_NET_ADMIN`. Returns the names of the interfaces that were conditioned.
    public func clear(_ names: [String]?, conditions: String? = nil) throws -> [String] {
        guard Privilege.mayChangeNetwork else {
            throw KernelPlaneError.missingPrivilege("clearing an interface")
        }
        return try HostState.withLock(environment) { state in
            let indices = try names.map { Set(try HostLinks().links(named: $0).map(\.index)) }
            let reports = try OpenPlanes(environment).all.map {
                try $0.clear(indices, name: conditions, state)
            }
            dismiss(reports.reduce(into: []) { $0.formUnion($1.formerWatchers) })
            NamespaceService.removeAbandoned()
            var cleared: [String] = []
            for name in reports.flatMap(\.interfaces) where !cleared.contains(name) {
                cleared.append(name)
            }
            if let conditions, cleared.isEmpty {
                throw DataPlaneError.noSuchConditions(
                    name: conditions, known: Set(reports.flatMap(\.names)).sorted())
            }
            return cleared
        }
    }

    // MARK: Time limits

    /// The indexes of the interfaces whose conditions a watcher is to end; some may be gone.
    public func interfaces(endedBy watcher: String) throws -> Set<Int32> {
        let watched = try OpenPlanes(environment).all.flatMap { try $0.watched() }
        return Set(watched.filter { $0.watcher == watcher }.map(\.index))
    }

    /// Takes away what a watcher is to end, and nothing that was applied later.
    ///
    /// Requires `CAP_NET_ADMIN`.
    public func clear(endedBy watcher: String) throws {
        try HostState.withLock(environment) { state in
            for plane in try OpenPlanes(environment).all {
                let ended = try plane.watched().filter { $0.watcher == watcher }
                guard let name = ended.first?.name else { continue }
                _ = try plane.clear(Set(ended.map(\.index)), name: name, state)
            }
        }
    }

    /// Ends those watchers that have nothing left to end.
    ///
    /// Those of which it is not known whether they have are left alone: a watcher that finds nothing
    /// to end when its time has come ends by itself.
    private func dismiss(_ watchers: Set<String>) {
        guard !watchers.isEmpty, let planes = try? OpenPlanes(environment).all,
            let busy = try? planes.flatMap({ try $0.watched() }).map(\.watcher)
        else { return }
        WatcherFile.dismiss(watchers.subtracting(busy), environment)
    }

    // MARK: Status

    /// All conditions of the namespace, by interface and in the order in which they choose their
    /// traffic. Needs no privilege.
    public func status() throws -> [ConditionedInterface] {
        try OpenPlanes(environment).all.flatMap { try $0.status() }.sorted {
            $0.interface < $1.interface
        }
    }
}
