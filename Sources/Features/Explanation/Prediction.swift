import LinkModel
import LinkUnits

/// How long a run would take without a component of the network.
///
/// Theory of operation. Waits for the component are taken away from the critical path. But something
/// else becomes the limit then: without the bandwidth limit a transfer still takes the round trips
/// of slow start, without delay it still takes the bandwidth, and without loss both. So the transfer
/// of each request on the path takes at least what `TransferModel` says. And without loss or delay
/// the run takes at least as long as the bottleneck needs for its bytes.
extension Explanation {
    /// How long the run would take without a component of the network, about.
    public func prediction(without removal: Removal) -> Duration {
        let naive = duration - total.filter { removal.concerns($0.key) }.values.reduce(.zero, +)
        guard removal != .nameResolution, naive < duration else { return naive }
        let listed = Dictionary(
            requests.map { request in
                (
                    CriticalPath.Owner(connection: request.connection, exchange: request.index),
                    request
                )
            }
        ) { first, _ in first }
        let trips = Dictionary(
            connections.compactMap { connection in
                connection.roundTrips.least.map { (connection.index, $0) }
            }
        ) { first, _ in first }
        var waits: [CriticalPath.Owner: [Wait]] = [:]
        for part in path.flatMap(\.parts) where listed[part.owner] != nil {
            waits[part.owner, default: []] += part.waits
        }
        let corrections = waits.map { owner, waits -> Duration in
            guard let request = listed[owner], let trip = trips[request.connection] else {
                return .zero
            }
            return TransferModel(request, trip).correction(of: waits, without: removal)
        }
        let corrected = naive + corrections.reduce(.zero, +)
        guard removal != .bandwidth else { return min(corrected, duration) }
        let busy = transmission.values.max() ?? .zero
        return min(max(corrected, busy), duration)
    }
}

/// How long the bytes of a request and its response take at least, with TCP that begins with ten
/// segments (RFC 6928) and doubles what it has under way each round trip (RFC 5681, section 3.1).
struct TransferModel {
    private let request: Explanation.Request
    private let trip: Duration

    /// The initial window, and what an idle connection returns to after a timeout.
    private static let initialWindow = 10 * 1448
    private static let idleLimit = Duration.milliseconds(200)

    /// - Parameter trip: The shortest round trip of its connection.
    init(_ request: Explanation.Request, _ trip: Duration) {
        (self.request, self.trip) = (request, trip)
    }

    /// What the naive prediction of a request's part of the path lacks.
    func correction(of waits: [Wait], without removal: Removal) -> Duration {
        let transfer = waits.filter { Self.isTransfer($0.kind) }
        let taken = Self.sum(transfer)
        // Losses make the window small, and it takes long to grow again.
        let endsLosses =
            request.hasLosses
            && (removal == .loss || removal == .bandwidth && request.hasOnlyQueueLosses)
        let kept = taken - Self.sum(transfer.filter { removal.concerns($0.kind) })
        // If only a part of the request is on the path, so is only a part of its transfer.
        let whole = Self.sum(request.waits.filter { Self.isTransfer($0.kind) })
        let share = whole > taken ? taken / whole : 1
        let least = min(taken, leastTime(without: removal) * share)
        return endsLosses ? least - kept : max(.zero, least - kept)
    }

    /// Waits that belong to moving bytes, rather than to the first round trip, the server or the app.
    private static func isTransfer(_ kind: WaitKind) -> Bool {
        switch kind.component {
        case .serialization, .queueing, .fastRecovery, .timeoutRecovery: true
        case .propagation: kind.phase == .congestionWindow
        case .server, .app, .linkDown, .lateness: false
        }
    }

    private static func sum(_ waits: [Wait]) -> Duration { waits.map(\.length).reduce(.zero, +) }

    /// How long the bytes take without the component.
    private func leastTime(without removal: Removal) -> Duration {
        let trip = removal == .delay ? .zero : trip
        let parts = [
            (request.requestBytes, request.requestTransmission, request.requestWindow),
            (request.responseBytes, request.responseTransmission, request.responseWindow),
        ]
        return parts.reduce(.zero) { sum, part in
            let (bytes, transmission, window) = part
            return sum
                + Self.time(
                    bytes: bytes, transmission: removal == .bandwidth ? .zero : transmission,
                    trip: trip,
                    window: request.idle < Self.idleLimit
                        ? max(window, Self.initialWindow) : Self.initialWindow)
        }
    }

    /// From the first byte that is sent to the last that arrives, without the way of the last one.
    static func time(
        bytes: Int, transmission: Duration, trip: Duration, window: Int
    ) -> Duration {
        guard bytes > 0 else { return .zero }
        var (left, window, time) = (bytes, window, Duration.zero)
        while left > window {
            time += max(trip, transmission * (Double(window) / Double(bytes)))
            left -= window
            window *= 2
        }
        return time + transmission * (Double(left) / Double(bytes))
    }
}
