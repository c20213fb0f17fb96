import Netlink
import SystemPackage
import TrafficControl

/// Carries plans out: all of them, or none.
struct PlanExecutor {
    let session: NetlinkSession

    /// Sends all operations of all plans together; if the kernel refuses one, takes the others
    /// back and throws.
    func run(_ plans: [InterfacePlan]) throws(ConditionerError) {
        let operations = plans.flatMap(\.operations)
        let failures: [BatchFailure]
        do {
            failures = try session.execute(operations.map(\.message))
                .filter { !operations[$0.index].isOptional }
        } catch {
            // Whether the kernel did anything is unknown.
            _ = undo(plans, failed: [])
            throw .netlink(error)
        }
        if let first = failures.first {
            let isUndone = undo(plans, failed: Set(failures.map(\.index)))
            throw explain(
                first, operations[first.index], of: interface(at: first.index, in: plans),
                isUndone: isUndone)
        }
        remove(plans.flatMap(\.removals))
    }

    /// Takes away what may already be gone; returns whether nothing else went wrong.
    @discardableResult
    func remove(_ operations: [TrafficOperation]) -> Bool {
        guard !operations.isEmpty else { return true }
        guard let failures = try? session.execute(operations.map(\.message)) else { return false }
        return failures.allSatisfy { Self.isAbsence($0.errno) }
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
        // Several filters share a preference, and go together.
        var seen: Set<TrafficOperation> = []
        return remove(operations.filter { seen.insert($0).inserted })
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
    ) -> ConditionerError {
        switch failure.errno {
        case .notPermitted: return .missingPrivilege("conditioning \(interface)")
        case .operationNotSupportedByDevice where isUndone: return .vanished(interface)
        default: break
        }
        if Self.isUnknownKind(failure), isUndone, let feature = operation.feature {
            return .missingFeatures([feature])
        }
        let error = NetlinkError(
            attempt: "run what is equivalent to `\(operation.commandText)`",
            errno: failure.errno, kernelText: failure.kernelText)
        return .refused(interface: interface, error, isUndone: isUndone)
    }

    /// What kernels say of qdiscs, filters, actions and links for which they have no code.
    private static func isUnknownKind(_ failure: BatchFailure) -> Bool {
        let text = failure.kernelText ?? ""
        return ["unknown", "not found", "Unknown", "Failed to load"].contains(where: text.contains)
            || (failure.kernelText == nil && failure.errno == .noSuchFileOrDirectory)
            || (failure.kernelText == nil && failure.errno == .notSupportedOnSocket)
    }

    private static func isAbsence(_ errno: Errno) -> Bool {
        [.noSuchFileOrDirectory, .operationNotSupportedByDevice, .noSuchProcess, .invalidArgument]
            .contains(errno)
    }
}
