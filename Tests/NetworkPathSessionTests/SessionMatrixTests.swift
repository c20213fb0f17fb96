import Foundation
import Testing

/// What becomes of each kind of task on each kind of network.
@Suite("NetworkSession on every kind of network") struct SessionMatrixTests {
    enum Network: String, CaseIterable, CustomTestStringConvertible {
        case neither, expensive, constrained, both
        case noRoute = "no route"
        case downThenUp = "link down, up after 2 s"

        var testDescription: String { rawValue }

        /// The words of the interface's mark.
        var mark: String? {
            switch self {
            case .expensive: "exp"
            case .constrained: "con"
            case .both: "exp con"
            case .neither, .noRoute, .downThenUp: nil
            }
        }

        /// `URLError.NetworkUnavailableReason` of tasks that may not use it.
        var reason: Int? {
            switch self {
            case .expensive, .both: 1
            case .constrained: 2
            case .neither, .noRoute, .downThenUp: nil
            }
        }

        /// How long tasks may take that come to nothing, in seconds.
        static let patience = 10.0

        /// Makes it and asks on it.
        func script(_ kind: String) -> String {
            let ask = "$probe \(kind) $url/file waits=yes,no style=async,delegate"
            switch self {
            case .neither: return AppRun.join + ask + " allowed=yes,no"
            case .expensive, .constrained, .both:
                return AppRun.join + """
                    ip link set eth0 alias '[linkcond:1 \(mark ?? "")]'
                    \(ask) allowed=no resource=\(Self.patience) &
                    \(ask) allowed=yes
                    wait $!
                    """
            case .noRoute:
                return """
                    ip link set lo up
                    \(ask) allowed=yes,no resource=\(Self.patience)
                    """
            case .downThenUp:
                return AppRun.join + """
                    ip link set eth0 down
                    \(ask) allowed=yes,no >out &
                    await waiting 4
                    sleep 2
                    ip link set eth0 up
                    ip route add default via 192.0.2.2
                    wait $!
                    cat out
                    """
            }
        }
    }

    @Test(arguments: Network.allCases, ["data", "download", "upload"])
    func `each task ends as Apple documents it`(_ network: Network, _ kind: String) async throws {
        let result = try await AppRun.run(network.script(kind))
        #expect(result.reports.count == 8)
        for report in result.reports {
            let isProhibited = network.reason != nil && !report.allowed
            let isUnreachable = network == .noRoute || network == .downThenUp
            let (outcome, waited) =
                switch (isProhibited || isUnreachable, report.waits) {
                case (false, _): ("ok", false)
                case (true, false): (Self.notConnected, false)
                case (true, true): (network == .downThenUp ? "ok" : Self.timedOut, true)
                }
            #expect(report.outcome == outcome, "\(report)")
            #expect(report.waited == waited, "\(report)")
            #expect(report.reason == (isProhibited ? network.reason : nil), "\(report)")
            if outcome == "ok" {
                #expect(report.status == 200)
                // The answer to an upload is the number of bytes.
                #expect(report.bytes == (kind == "upload" ? 6 : 1000))
            }
            if outcome == Self.timedOut { #expect(report.seconds >= Network.patience) }
            if network == .downThenUp, report.waits { #expect(report.seconds >= 2) }
        }
        // What may not be sent never reached the server.
        let arrived = result.reports.filter { $0.outcome == "ok" }.count
        #expect(result.requests.count == arrived)
        if kind == "upload" { #expect(result.requests.allSatisfy { $0.received == 100_000 }) }
    }

    /// Numbers of `URLError.Code`.
    private static let notConnected = "-1009"
    private static let timedOut = "-1001"
}
