import LinkTesting
import Testing

/// A loop for somebody who is root in a user namespace only.
@Suite("A loop without privileges on the host", .serialized, .requiresNamespaces)
struct RootlessTests {
    @Test
    func `Every packet arrives, in order and once`() async throws {
        let probe = try BuiltProduct.path(of: "PacketLoopProbe")
        // Buffers here have the size that net.core.rmem_max allows, so that a receiver has several.
        let script = """
            set -e
            for name in app far; do
                ip link add $name arp off type veth peer name $name-end arp off
                ip link set $name up; ip link set $name-end up
            done
            directory=$(mktemp -d); trap 'rm -r $directory' EXIT
            : >$directory/joined; : >$directory/heard; mkfifo $directory/orders
            "$0" join app far 1 "up.delay=5 ms" <$directory/orders >$directory/joined &
            exec 9>$directory/orders
            timeout 30 "$0" listen far-end 3 >$directory/heard & listener=$!
            until grep -q ready $directory/joined && grep -q ready $directory/heard; do
                sleep 0.05
            done
            timeout 30 "$0" send app-end 10000 1 100
            wait $listener; exec 9>&-; wait
            cat $directory/heard
            """
        let result = try await runProcess(
            "unshare", ["--user", "--map-root-user", "--net", "sh", "-c", script, probe])
        let output = result.standardOutput
        let sent = try #require(output.split(separator: "\n").first, "\(result)")
        #expect(output.contains("\"packets\":\(sent)"), "\(result)")
        #expect(output.contains("\"reordered\":0"))
    }
}
