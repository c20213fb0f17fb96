import Foundation
import LinkTesting
import Testing

/// How far servers of the host get ahead of the link.
@Suite("Run: backpressure", .requiresNamespaces, .requiresUplink, .tags(.contrary, .anyKernel))
struct RunBackpressureTests {
    /// A server that sends as much as it can over Edge, which carries 30 kB in a second.
    struct HastyServer: Sendable, CustomTestStringConvertible {
        let algorithm: String
        var caller = Caller.root
        /// How many times as much it may send as at the link itself. BBR takes the speed of the
        /// first segments, which stay within the host, for the link's.
        var limit = 2

        var testDescription: String { "\(algorithm), \(caller.testDescription)" }

        /// Only root may choose another algorithm than reno.
        static let all = [
            HastyServer(algorithm: "reno"),
            HastyServer(algorithm: "reno", caller: .ordinaryUser),
            HastyServer(algorithm: "cubic"),
            HastyServer(algorithm: "bbr", limit: 3),
        ].filter { available.contains($0.algorithm) }

        private static let available: [String] =
            (try? shell("cat /proc/sys/net/ipv4/tcp_available_congestion_control"))?
            .split(whereSeparator: \.isWhitespace).map(String.init) ?? []
    }

    /// What the server writes at a time, and so what its count may be ahead by for the moment.
    private static let portion = 16_384

    @Test(arguments: HastyServer.all)
    func `a server of the host gets hardly further ahead than one of the run`(
        server: HastyServer
    ) async throws {
        let result = try await StandInHost.script(
            """
            touch $DIRECTORY/host $DIRECTORY/server
            chmod 666 $DIRECTORY/host $DIRECTORY/server
            peer hasty_server 8001 $DIRECTORY/host \(server.algorithm) &
            until ss -Htln sport = :8001 | grep -q .; do sleep 0.02; done
            (run Edge --drain 0s -- python3 $DIRECTORY/peers.py reader host.linkcond 8001 6) &
            (run Edge --drain 0s --uplink none --server-ready 8002 --server \
                "python3 $DIRECTORY/peers.py hasty_server 8002 $DIRECTORY/server \
                \(server.algorithm)" -- \
                python3 $DIRECTORY/peers.py reader server.linkcond 8002 6) &
            wait
            cat $DIRECTORY/host $DIRECTORY/server
            """, by: server.caller)
        let taken = result.standardOutput.split(separator: "\n").map { line in
            line.split(separator: " ").compactMap { Int($0) }
        }
        try #require(taken.map(\.count) == [3, 3], "\(result)")
        for (relayed, direct) in zip(taken[0], taken[1]) {
            #expect(relayed <= server.limit * direct + Self.portion, "\(taken)")
        }
        #expect(taken[1][2] > 100_000)
    }
}
