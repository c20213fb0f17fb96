import LinkModel
import LinkUnits
import Recording

extension Cause {
    /// Its name for people.
    package var text: String {
        switch self {
        case .nameResolution: "name resolution"
        case .tcpHandshake: "TCP handshake"
        case .tlsHandshake: "TLS handshake"
        case .propagation: "round trips"
        case .serialization: "bandwidth"
        case .queueing: "queueing"
        case .fastRecovery: "fast recovery"
        case .timeoutRecovery: "timeouts"
        case .receiveWindow: "receive window"
        case .congestionWindow: "congestion window"
        case .server: "server"
        case .app: "app"
        case .linkDown: "link down"
        case .lateness: "late emulation"
        }
    }

    /// What it means, for people.
    package var meaning: String {
        switch self {
        case .nameResolution: "questions for names and their answers"
        case .tcpHandshake: "opening TCP connections"
        case .tlsHandshake: "TLS or QUIC handshakes"
        case .propagation: "the delay of the link, during requests and responses"
        case .serialization: "the connection's own bytes at the bandwidth of the link"
        case .queueing: "packets of other connections in the queue of the link"
        case .fastRecovery: "packets that were sent again because of later acknowledgements"
        case .timeoutRecovery: "packets that were sent again after a timeout"
        case .receiveWindow: "the receiver's window was full"
        case .congestionWindow: "the sender needed an acknowledgement, as in slow start"
        case .server: "the far side did not send although it could"
        case .app: "the app did not send although it could"
        case .linkDown: "packets were dropped since the interface was down"
        case .lateness: "this machine was too busy to deliver packets on time"
        }
    }
}

extension Explanation {
    /// A table for people.
    package struct Rows: Sendable {
        package var titles: [(text: String, isNumber: Bool)]
        package var rows: [[String]]
        /// How many further rows there would be.
        package var omitted: Int
    }

    /// More are for programs.
    private static let mostRows = 60

    /// The causes, from the longest.
    package var causes: [(cause: Cause, time: Duration)] {
        shares.filter { $0.value > .zero }.map { ($0.key, $0.value) }
            .sorted { ($1.time, $0.cause.rawValue) < ($0.time, $1.cause.rawValue) }
    }

    package var causeRows: Rows {
        Rows(
            titles: [
                ("WAITED FOR", false), ("TIME", true), ("SHARE", true), ("WHAT IT IS", false),
            ],
            rows: causes.map { cause, time in
                let meaning =
                    cause == .server && !hasFates
                    ? "the network and the far side" : cause.meaning
                return [cause.text, time.readableText, percent(time), meaning]
            }, omitted: 0)
    }

    package var connectionRows: Rows {
        let rows = connections.prefix(Self.mostRows).map { connection in
            [
                "\(connection.index + 1)", connection.title, connection.start.readableText,
                (connection.end - connection.start).readableText, "\(connection.requests)",
                ByteCount(bytes: UInt64(connection.upBytes + connection.downBytes)).decimalText,
                connection.lostPackets.count == 0 ? "-" : "\(connection.lostPackets.count)",
                connection.criticalTime > .zero ? percent(connection.criticalTime) : "-",
                Self.causesText(connection.critical),
            ]
        }
        return Rows(
            titles: [
                ("#", true), ("CONNECTION", false), ("AT", true), ("LASTS", true),
                ("REQUESTS", true), ("BYTES", true), ("LOST", true), ("OF RUN", true),
                ("WAITED FOR", false),
            ], rows: Array(rows),
            omitted: max(0, connections.count - Self.mostRows) + omittedConnections)
    }

    /// The counterfactual runs, in the order in which they ran.
    package var counterfactualRows: Rows {
        let rows = counterfactuals.map { counterfactual in
            [
                counterfactual.removal?.text ?? "nothing", counterfactual.predicted.readableText,
                counterfactual.measured?.readableText ?? "-",
                counterfactual.error.map { "\(Int(($0 * 100).rounded()))%" } ?? "-",
                counterfactual.problem ?? "",
            ]
        }
        return Rows(
            titles: [
                ("RUN WITHOUT", false), ("PREDICTED", true), ("MEASURED", true), ("ERROR", true),
                ("", false),
            ], rows: rows, omitted: 0)
    }

    package var requestRows: Rows {
        let rows = requests.prefix(Self.mostRows).map { request in
            [
                "\(request.connection + 1)", request.title, request.start.readableText,
                request.end.map { ($0 - request.start).readableText } ?? "-",
                ByteCount(bytes: UInt64(request.responseBytes)).decimalText,
                request.critical > .zero ? percent(request.critical) : "-",
                Self.causesText(request.waits),
            ]
        }
        return Rows(
            titles: [
                ("#", true), ("REQUEST", false), ("AT", true), ("TAKES", true),
                ("RESPONSE", true), ("OF RUN", true), ("WAITED FOR", false),
            ], rows: Array(rows), omitted: max(0, requests.count - Self.mostRows))
    }

    /// The three longest causes.
    private static func causesText(_ waits: [Wait]) -> String {
        let shares = shares(waits).filter { $0.value > .zero }
            .sorted { ($1.value, $0.key.rawValue) < ($0.value, $1.key.rawValue) }
        guard !shares.isEmpty else { return "-" }
        return shares.prefix(3).map { "\($0.key.text) \($0.value.readableText)" }
            .joined(separator: ", ")
    }
}

extension Explanation.Connection {
    /// Its part of the run.
    var criticalTime: Duration { critical.map(\.length).reduce(.zero, +) }

    /// What it is, for people.
    var title: String {
        let peer = serverName.map { "\($0):\(far.port)" } ?? "\(far)"
        let word =
            switch kind {
            case .tcp: serverName == nil ? "tcp" : "tls"
            case .udp: "udp"
            case .quic: "quic"
            case .dns: "dns"
            }
        return "\(word) \(peer)"
            + (group.map { $0 == index ? "" : " (subflow of \($0 + 1))" } ?? "")
    }
}

extension Explanation.Request {
    private static let longestTarget = 48

    /// What it is, for people.
    var title: String {
        guard let method, let target else { return "request \(index + 1)" }
        let short =
            target.count > Self.longestTarget
            ? target.prefix(Self.longestTarget - 1) + "…" : target[...]
        return "\(method) \(short)" + (status.map { " \($0)" } ?? "")
    }
}
