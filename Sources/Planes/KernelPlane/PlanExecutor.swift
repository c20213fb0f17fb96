import Netlink
import SystemPackage
import TrafficControl

/// Carries plans out: all of them, or none.
struct PlanExecutor {
    let session: NetlinkSession

    /// Sends all operations of all plans together; if the kernel refuses one, undoes the others and
    /// throws.
    func run(_ plans: [InterfacePlan]) throws(KernelPlaneError) {
        let operations = plans.flatMap(\.operations)
        let failures: [BatchFailure]
        do {
            failures = try session.execute(operations.map(\.message))
                .filter { !operations[$0.index].isOptional }
        } catch {
            // It is unknown what the kernel has done.
            guard undo(plans, failed: []) else {
                throw .refused(interface: Self.names(of: plans), error, isUndone: false)
            }
            throw .netlink(error)
        }
        if let first = failures.first {
            let isUndone = undo(plans, failed: Set(failures.map(\.index)))
            throw explain(
                first, operations[first.index], of: interface(at: first.index, in: plans),
                isUndone: isUndone)
        }
        do {
            try remove(plans.flatMap(\.removals))
        } catch {
            throw .refused(interface: Self.names(of: plans), error, isUndone: false)
        }
    }

    /// Deletes what may already be gone; throws the first error with another cause.
    func remove(_ operations: [TrafficOperation]) throws(NetlinkError) {
        guard !operations.isEmpty else { return }
        let failures = try session.execute(operations.map(\.message))
        for failure in failures {
            let operation = operations[failure.index]
            guard !operation.isOptional, !operation.isDone(despite: failure.errno) else { continue }
            throw Self.error(failure, operation)
        }
    }

    /// The interfaces of `plans`, for an error about all of them.
    static func names(of plans: [InterfacePlan]) -> String {
        plans.map(\.interface.name).joined(separator: ", ")
    }

    private func undo(_ plans: [InterfacePlan], failed: Set<Int>) -> Bool {
        var index = 0
        var operations: [TrafficOperation] = []
        for plan in plans {
            let range = index..<index + plan.operations.count
            index = range.upperBound
            if let restoration = plan.restoration {
                operations += restoration
            } else {
                operations += zip(range, plan.operations).reversed()
                    .filter { !failed.contains($0.0) }.compactMap(\.1.inverse)
            }
        }
        // Several filters share a preference, and are deleted together.
        var seen: Set<TrafficOperation> = []
        return (try? remove(operations.filter { seen.insert($0).inserted })) != nil
    }

    private func interface(at index: Int, in plans: [InterfacePlan]) -> String {
        var end = 0
        for plan in plans {
            end += plan.operations.count
            if index < end { return plan.interface.name }
        }
        preconditionFailure("a failure belongs to an operation of a plan")
    }

    private func explain(
        _ failure: BatchFailure, _ operation: TrafficOperation, of interface: String,
        isUndone: Bool
    ) -> KernelPlaneError {
        switch failure.errno {
        case .notPermitted: return .missingPrivilege("conditioning \(interface)")
        case .operationNotSupportedByDevice where isUndone: return .vanished(interface)
        default: break
        }
        if Self.isUnknownKind(failure), isUndone, let feature = operation.feature {
            return .missingFeatures([feature])
        }
        return .refused(
            interface: interface, Self.error(failure, operation), isUndone: isUndone)
    }

    private static func error(
        _ failure: BatchFailure, _ operation: TrafficOperation
    ) -> NetlinkError {
        NetlinkError(
            attempt: "run what is equivalent to `\(operation.commandText)`",
            errno: failure.errno, kernelText: failure.kernelText)
    }

    /// Errors of kernels for qdiscs, filters, actions and links that they were built without.
    private static func isUnknownKind(_ failure: BatchFailure) -> Bool {
        guard let text = failure.kernelText else {
            // Kernels before 4.15 give no error text.
            return [.noSuchFileOrDirectory, .notSupportedOnSocket].contains(failure.errno)
        }
        return [
            "Specified qdisc kind is unknown", "TC classifier not found",
            "Failed to load TC action module", "Unknown device type",
        ].contains(text)
    }
}

extension TrafficOperation {
    /// Whether an error means that there was nothing to do.
    fileprivate func isDone(despite errno: Errno) -> Bool {
        switch self {
        case .deleteLink, .deleteOwnLinks, .deleteQdisc, .deleteFilters:
            [
                .operationNotSupportedByDevice, .noSuchFileOrDirectory, .noSuchProcess,
                .invalidArgument,
            ].contains(errno)
        default:
            // The interface is gone, so there is nothing to restore.
            errno == .operationNotSupportedByDevice
        }
    }
}
