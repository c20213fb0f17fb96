import LinkTesting
import Testing

/// What the links of a proxy do to packets, and what its network looks like to apps.
@Suite("Proxy: links", .requiresNamespaces, .tags(.anyKernel))
struct ProxyLinkTests {
    @Test func `each has its rates and its queue, which only listeners on it share`() async throws {
        try await ProxyHost.expect(
            "True True True\nqueued True\n", from: "proxying links")
    }

    @Test func `lost packets are sent again`() async throws {
        // Root looks into the network of the endpoint.
        try await ProxyHost.expect("sent again True\nlost 0\n", from: "proxying loss", by: .root)
    }

    @Test func `what it says as JSON is as described`() async throws {
        let result = try await StandInHost.script(
            """
            serve
            env $IDENTITY $PROGRAM proxy 3G --set down.loss=1% --json --stats $DIRECTORY/stats \
                --listen 127.0.0.1:5433=localhost:8000 --listen udp:127.0.0.1:0=a.example:53 \
                --socks 127.0.0.1:0 --http unix:$DIRECTORY/http --api unix:$DIRECTORY/api \
                -- curl -sS -o /dev/null http://127.0.0.1:5433/ 2>$DIRECTORY/log
            cat $DIRECTORY/stats
            kill $(jobs -p)
            """, by: .ordinaryUser)
        let lines = result.standardOutput.split(separator: "\n", maxSplits: 1)
        try #require(lines.count == 2, "\(result.standardOutput)\(result.standardError)")
        for text in lines { try await JSONSchema("proxy").expectValid(String(text)) }
        #expect(lines[1].contains(#""acceptedConnections" : 1"#), "\(lines[1])")
    }

    @Test func `overrides are of its network, and end with it`() async throws {
        try await ProxyHost.expect(
            """
            refused true
            no such interface true
            true
            []
            true
            []

            """,
            from: """
                send() { curl -sS -m 20 --unix-socket $DIRECTORY/api "$@"; }
                path=http://localhost/v1/host
                set_it() {
                    send -X PATCH -d '{"cost": "expensive"}' $path/interfaces/out0/override >/dev/null
                }
                proxy baseline --api 127.0.0.1:8474
                curl -s http://127.0.0.1:8474/v1/host/overrides | jq -c '"refused \\(.status == 403)"' -r
                end
                for signal in INT KILL; do
                    proxy baseline --api unix:$DIRECTORY/api
                    if [ $signal = INT ]; then
                        send -X PATCH -d '{}' $path/interfaces/none/override |
                            jq -r '"no such interface \\(.status >= 400)"'
                    fi
                    set_it
                    $PROGRAM override show --json | jq -c '.overrides[0].cost == "expensive"'
                    kill -$signal $job
                    wait $job || true
                    until [ "$($PROGRAM override show --json | jq -c .overrides)" = "[]" ]; do
                        sleep 0.05
                    done
                    $PROGRAM override show --json | jq -c .overrides
                done
                """, by: .root)
    }
}
