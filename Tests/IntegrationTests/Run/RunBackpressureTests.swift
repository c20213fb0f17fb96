import Foundation
import LinkTesting
import Testing

/// How far servers of the host get ahead of the link.
@Suite("Run: backpressure", .requiresNamespaces, .requiresUplink)
struct RunBackpressureTests {
    /// Edge carries 90 kB in this time. One that took what it is given would be megabytes ahead.
    @Test(arguments: Caller.allCases)
    func `a server of the host is hardly further ahead than one of the run`(
        caller: Caller
    ) async throws {
        let result = try await StandInHost.script(
            """
            touch $DIRECTORY/host $DIRECTORY/server
            chmod 666 $DIRECTORY/host $DIRECTORY/server
            peer hasty_server 8001 $DIRECTORY/host 3 &
            until ss -Htln sport = :8001 | grep -q .; do sleep 0.02; done
            (run Edge --drain 0s -- \
                timeout 9 python3 $DIRECTORY/peers.py read_bytes host.linkcond 8001 10000000) || true
            (run Edge --drain 0s --uplink none --server-ready 8002 \
                --server "python3 $DIRECTORY/peers.py hasty_server 8002 $DIRECTORY/server 3" -- \
                timeout 9 python3 $DIRECTORY/peers.py read_bytes server.linkcond 8002 10000000) || true
            cat $DIRECTORY/host $DIRECTORY/server
            """, by: caller)
        let taken = result.standardOutput.split(separator: "\n").compactMap { Int($0) }
        try #require(taken.count == 2, "\(result)")
        #expect(taken[0] - taken[1] < 256 << 10, "\(taken[0]) bytes, directly \(taken[1])")
        #expect(taken[1] > 50_000)
    }
}
