public import DataPlane
public import DataPlanes
public import LinkModel
import LinkUnits

extension DataPlanes {
    /// Applies a request; the process that will end it, if it has a limit, is there before.
    ///
    /// - Parameter duration: how long until the limit, if it is a moment.
    public func apply(
        _ request: ApplyRequest, backend: Backend, for duration: Duration?
    ) throws -> Outcome {
        guard let limit = request.limit else {
            return try apply(request, backend: backend)
        }
        return try Watcher.guarding(limit, after: duration) {
            try apply(request, backend: backend)
        }
    }
}

extension ApplyRequest {
    /// Whether all packets of a direction are lost.
    public var cutsTheLine: Bool {
        let conditions = conditions.withExplicitLoss
        return directions.contains { $0.conditions(of: conditions).loss.mean == .one }
    }
}
