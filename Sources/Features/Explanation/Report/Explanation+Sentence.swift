import LinkUnits

extension Explanation {
    /// What the run waited for, in a sentence: `Of 8.4 s: 41% round trips, of which 2.1 s are 18
    /// requests one after the other; 22% bandwidth; 9% recovery from 3 lost packets`.
    public var sentence: String {
        let shares = shares
        var groups: [(time: Duration, text: String)] = []
        func add(_ causes: Cause..., text: (Duration) -> String) {
            let time = causes.reduce(Duration.zero) { $0 + (shares[$1] ?? .zero) }
            if time > .zero { groups.append((time, text(time))) }
        }
        add(.propagation) { _ in "round trips" + sequentialText }
        add(.serialization) { _ in "bandwidth" }
        add(.queueing) { _ in "queueing behind other packets" }
        add(.nameResolution) { _ in "name resolution" + countText(names.count, "name") }
        add(.tcpHandshake) { _ in
            "TCP handshakes" + countText(handshakes(.tcpHandshake), "connection")
        }
        add(.tlsHandshake) { _ in
            "TLS handshakes" + countText(handshakes(.tlsHandshake), "connection")
        }
        add(.fastRecovery, .timeoutRecovery) { recovery($0) }
        add(.receiveWindow) { _ in "a full receive window" }
        add(.congestionWindow) { _ in "the congestion window" }
        add(.server) { _ in hasFates ? "the server" : "network and server" }
        add(.app) { _ in "the app itself" }
        add(.linkDown) { _ in "waiting for the link to come back" }
        add(.lateness) { _ in "an emulation that was late" }
        groups.sort { $0.time > $1.time }
        let parts = groups.map { "\(percent($0.time)) \($0.text)" }
        let doubt = isFaithful == false ? " on a machine that was too busy to be exact" : ""
        return "Of \(duration.readableText)\(doubt): \(parts.joined(separator: "; "))."
    }

    /// Whether the capture says what the link did to packets.
    var hasFates: Bool {
        connections.contains { !$0.drops.isEmpty }
            || total.keys.contains {
                [.propagation, .serialization, .queueing].contains($0.component)
            }
    }

    /// A time as a share of the run: no more exactly than the run was.
    package func percent(_ time: Duration) -> String {
        let share = time / duration * 100
        guard isFaithful != false else {
            let step = 5.0
            return share > 0 && share < step
                ? "<5%" : "~\(Int((share / step).rounded() * step))%"
        }
        return share > 0 && share < 1 ? "<1%" : "\(Int(share.rounded()))%"
    }

    private var sequentialText: String {
        let (requests, time) = sequence
        guard requests.count > 1 else { return "" }
        return ", of which \(time.readableText) are \(requests.count) requests one after the other"
    }

    /// The requests on the path, and their round trips.
    var sequence: (requests: Set<CriticalPath.Owner>, roundTrips: Duration) {
        var (owners, time) = (Set<CriticalPath.Owner>(), Duration.zero)
        for part in path.flatMap(\.parts) where part.owner.exchange != nil {
            let trips = part.waits.filter { $0.kind.cause == .propagation }.map(\.length)
            guard !trips.isEmpty else { continue }
            owners.insert(part.owner)
            time += trips.reduce(.zero, +)
        }
        return (owners, time)
    }

    private func handshakes(_ phase: Phase) -> Int {
        Set(
            path.flatMap(\.parts).filter { part in part.waits.contains { $0.kind.phase == phase } }
                .map(\.owner.connection)
        ).count
    }

    private func countText(_ count: Int, _ thing: String) -> String {
        count == 0 ? "" : " of \(count) \(thing)\(count == 1 ? "" : "s")"
    }

    private func recovery(_ time: Duration) -> String {
        let lost = connections.reduce(0) { $0 + $1.lostPackets.count }
        let timeout = shares[.timeoutRecovery] ?? .zero
        return "recovery from \(lost) lost packet\(lost == 1 ? "" : "s")"
            + (timeout > .zero ? " (\(timeout.readableText) of it timeouts)" : "")
    }
}
