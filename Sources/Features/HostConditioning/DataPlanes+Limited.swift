public import DataPlane
public import DataPlanes
public import LinkModel
import LinkUnits

extension DataPlanes {
    /// Applies a request; if it has a limit, its watcher is started first.
    ///
    /// - Parameter duration: The time until the limit, if it is a point in time.
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
    /// Whether a direction loses all packets.
    public var cutsTheLine: Bool {
        let conditions = conditions.withExplicitLoss
        return directions.contains { $0.conditions(of: conditions).loss.mean == .one }
    }
}
