import LinkTesting
import Testing

/// What the way to the host costs a download, beside a server on the far side itself.
@Suite("Run: speed of the uplink", .requiresNamespaces, .tags(.measure, .anyKernel))
struct RunUplinkAccuracyTests {
    @Test(.requiresUplink) func `a download from the host is as fast as from a server`()
        async throws
    {
        let downloads = [("LTE", 30_000_000), ("WiFi", 25_000_000), ("3G", 600_000)]
        // Links of different sandboxes do not disturb each other.
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (profile, size) in downloads {
                group.addTask { try await Self.expectSameSpeed(profile, bytes: size) }
            }
            try await group.waitForAll()
        }
    }

    private static func expectSameSpeed(_ profile: String, bytes: Int) async throws {
        let result = try await StandInHost.script(
            """
            head -c \(bytes) /dev/urandom >$DIRECTORY/file
            serve() {
                python3 -m http.server --directory $DIRECTORY --bind :: $1 >/dev/null 2>&1 &
                until curl -s -o /dev/null http://[::1]:$1/; do sleep 0.02; done
            }
            serve 8000
            (run \(profile) --backend engine \
                --server "exec python3 -m http.server --directory $DIRECTORY --bind :: 8001" \
                --server-ready 8001 -- sh -c '
                    for place in server.linkcond:8001 host.linkcond:8000; do
                        curl -s -o /dev/null -w "%{speed_download}\\n" http://$place/file
                    done' 2>/dev/null)
            kill $(jobs -p)
            """, by: .ordinaryUser)
        let speeds = result.standardOutput.split(separator: "\n").compactMap { Double($0) }
        try #require(speeds.count == 2, "\(result.standardOutput)\(result.standardError)")
        #expect(speeds[1] > 0.95 * speeds[0], "\(profile): \(speeds)")
    }
}
