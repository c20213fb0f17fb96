public import DataPlane
import EnginePlane
import KernelPlane
public import LinkModel
import LinuxKernel
import Netlink

/// Conditions interfaces of the calling thread's network namespace, using whichever data plane can
/// meet a request.
///
/// All data planes mark what they add. So each conditioned interface is known to belong to one of
/// them, and that one changes and clears it.
public struct DataPlanes {
    private let environment: [String: String]

    /// `environment` gives the directory for state files (`XDG_RUNTIME_DIR`).
    public init(environment: [String: String]) {
        self.environment = environment
    }

    // MARK: Applying

    /// The result of `apply`.
    public struct Outcome: Sendable {
        /// The report of the data plane.
        public var report: ApplyReport
        /// Which data plane was used and why, for people.
        public var explanation: String
        /// What the user should know despite success.
        public var remarks: [String]
    }

    /// Conditions all interfaces of the request, or none if one of them cannot be conditioned.
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

    /// What `apply` would do, as shell commands, and why this kernel would refuse, if known. Requires
    /// no privilege and changes nothing; without privilege, missing kernel features are not detected.
    public func dryRun(
        _ request: ApplyRequest, backend: Backend
    ) throws -> (script: String, remark: String?) {
        let links = try HostLinks().links(of: request)
        let planes = try OpenPlanes(environment)
        let choice = try planes.choose(request, on: links, backend, nil)
        // Without the links: the kernel does what it is told to on a loopback.
        let lack =
            backend == .kernel
            ? planes[.kernel].lack(for: PlaneDemand([request.conditions]), nil) : nil
        let remark = lack.flatMap { $0.isMinor ? nil : "apply would fail here: \($0.reason)" }
        do {
            return (try planes[choice.kind].script(request, on: links), remark)
        } catch let error as any PlaneRefusal where choice.isNegotiable && error.isLack {
            return (try planes.alternative(to: choice.kind).script(request, on: links), remark)
        }
    }

    /// The backend to request for several successive conditions of an interface, so that the data
    /// plane does not change in between.
    public func backend(_ backend: Backend, forAll conditions: [LinkConditions]) throws -> Backend {
        guard backend == .auto else { return backend }
        let kernel = try OpenPlanes(environment)[.kernel]
        let lack = kernel.lack(for: PlaneDemand(conditions), nil)
        return PlaneChoice(.auto, kernelLacks: lack).kind == .engine ? .engine : .auto
    }

    // MARK: Clearing

    /// Removes the conditions from the interfaces `names` (nil: all of the namespace), whoever
    /// applied them; if `conditions` is given, only those of that name.
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

    /// The indexes of the interfaces with conditions of this watcher; some may be gone.
    public func interfaces(endedBy watcher: String) throws -> Set<Int32> {
        let watched = try OpenPlanes(environment).all.flatMap { try $0.watched() }
        return Set(watched.filter { $0.watcher == watcher }.map(\.index))
    }

    /// Removes the conditions of a watcher, and nothing that was applied later.
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
    /// If that is unknown, the watcher stays: it ends by itself when its time has come.
    private func dismiss(_ watchers: Set<String>) {
        guard !watchers.isEmpty, let planes = try? OpenPlanes(environment).all,
            let busy = try? planes.flatMap({ try $0.watched() }).map(\.watcher)
        else { return }
        WatcherFile.dismiss(watchers.subtracting(busy), environment)
    }

    // MARK: Status

    /// All conditions of the namespace, by interface and in their order of precedence. Requires no
    /// privilege.
    public func status() throws -> [ConditionedInterface] {
        try OpenPlanes(environment).all.flatMap { try $0.status() }.sorted {
            $0.interface < $1.interface
        }
    }
}
