import LinkTesting
import Testing

/// Browsers and other programs with a proxy setting: curl stands for them.
@Suite("Proxy: SOCKS and HTTP", .requiresNamespaces, .tags(.anyKernel))
struct ProxyProtocolTests {
    private static let start = """
        serve
        head -c 300000 /dev/urandom >$DIRECTORY/file
        proxy LTE --socks 127.0.0.1:1080 --http 127.0.0.1:8080 --shared
        get() { curl -sS -m 60 -o $DIRECTORY/got "$@" && cmp $DIRECTORY/got $DIRECTORY/file; }

        """

    @Test(arguments: Caller.allCases)
    func `curl downloads by each of them`(caller: Caller) async throws {
        try await ProxyHost.expect(
            "socks\nnames\nhttp\nconnect\n",
            from: Self.start + """
                get --socks5 127.0.0.1:1080 http://127.0.0.1:8000/file && echo socks
                get --socks5-hostname 127.0.0.1:1080 http://localhost:8000/file && echo names
                get -x http://127.0.0.1:8080 http://localhost:8000/file && echo http
                get -p -x http://127.0.0.1:8080 http://localhost:8000/file && echo connect
                end
                """, by: caller)
    }

    @Test func `they tell why a target is not reached`() async throws {
        try await ProxyHost.expect(
            """
            (5)
            502 localhost:9: it refuses the connection
            502
            502

            """,
            from: Self.start + """
                curl -sS -m 60 --socks5-hostname 127.0.0.1:1080 http://localhost:9/ 2>&1 |
                    grep -o '(5)'
                curl -s -m 60 -x http://127.0.0.1:8080 -w '%{http_code} ' -o $DIRECTORY/got \
                    http://localhost:9/
                sed 's/linkcond proxy: //' $DIRECTORY/got
                curl -s -m 60 -p -x http://127.0.0.1:8080 -w '%{http_connect}\\n' \
                    http://localhost:9/ || true
                printf 'nameserver 127.0.0.1\\n' >$DIRECTORY/resolv.conf
                curl -s -m 60 -x http://127.0.0.1:8080 -w '%{http_code}\\n' -o $DIRECTORY/got \
                    http://127.0.0.1:9/
                end
                """)
    }

    @Test func `a request and its answer take the round trips of the link`() async throws {
        // 115 ms each way and back: one for the handshake, one for the request.
        try await ProxyHost.expect(
            "late\nlate\n",
            from: Self.start + """
                for way in '--socks5 127.0.0.1:1080' '-x http://127.0.0.1:8080'; do
                    curl -s -m 60 $way -o $DIRECTORY/got -w '%{time_starttransfer}' \
                        http://127.0.0.1:8000/ | awk '{ print ($1 >= 0.22) ? "late" : "early" }'
                done
                end
                """)
    }

    @Test func `one connection of a client carries requests to several servers`() async throws {
        try await ProxyHost.expect(
            "200 1\n200 0\n200 0\n",
            from: Self.start + """
                cat >$DIRECTORY/server.py <<'END'
                import http.server, sys
                class Handler(http.server.SimpleHTTPRequestHandler):
                    protocol_version = "HTTP/1.1"
                http.server.ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Handler).serve_forever()
                END
                cd $DIRECTORY
                for port in 8001 8002; do
                    python3 server.py $port >/dev/null 2>&1 &
                    until curl -s -o /dev/null http://127.0.0.1:$port/; do sleep 0.02; done
                done
                curl -sS -m 60 -x http://127.0.0.1:8080 -w '%{http_code} %{num_connects}\\n' \
                    -o got1 http://127.0.0.1:8001/file -o got2 http://127.0.0.1:8001/file \
                    -o got3 http://127.0.0.1:8002/file
                for number in 1 2 3; do cmp got$number file; done
                end
                kill $(jobs -p)
                """)
    }

    @Test func `an upload in chunks arrives whole`() async throws {
        try await ProxyHost.expect(
            "same\n",
            from: Self.start + """
                cat >$DIRECTORY/server.py <<'END'
                import http.server
                class Handler(http.server.BaseHTTPRequestHandler):
                    protocol_version = "HTTP/1.1"
                    def do_POST(self):
                        body = b""
                        while size := int(self.rfile.readline().split(b";")[0], 16):
                            body += self.rfile.read(size)
                            self.rfile.readline()
                        self.rfile.readline()
                        self.send_response(200)
                        self.send_header("Content-Length", str(len(body)))
                        self.end_headers()
                        self.wfile.write(body)
                http.server.ThreadingHTTPServer(("127.0.0.1", 8001), Handler).serve_forever()
                END
                python3 $DIRECTORY/server.py >/dev/null 2>&1 &
                until (echo >/dev/tcp/127.0.0.1/8001) 2>/dev/null; do sleep 0.02; done
                get -x http://127.0.0.1:8080 -H 'Transfer-Encoding: chunked' \
                    --data-binary @$DIRECTORY/file http://127.0.0.1:8001/ && echo same
                end
                kill $(jobs -p)
                """)
    }

    @Test func `names are asked of the host's name server, over the link`() async throws {
        // dnsmasq answers for the name; the delay of the profile's questions counts.
        try await ProxyHost.expect(
            "same\nlate\nno such host\n",
            from: """
                serve
                printf 'nameserver 127.0.0.1\\n' >$DIRECTORY/resolv.conf
                mount --bind $DIRECTORY/resolv.conf /etc/resolv.conf
                dnsmasq --no-daemon --no-resolv --no-hosts --listen-address=127.0.0.1 \
                    --bind-interfaces --address=/shop.example/127.0.0.1 --local=/example/ \
                    --user=root --pid-file= >/dev/null 2>&1 &
                until ss -Hlun | grep -q 127.0.0.1:53; do sleep 0.05; done
                head -c 3000 /dev/urandom >$DIRECTORY/file
                proxy LTE --set dns.delay='500 ms' --http 127.0.0.1:8080
                curl -sS -m 60 -x http://127.0.0.1:8080 -w '%{time_total}' -o $DIRECTORY/got \
                    http://shop.example:8000/file >$DIRECTORY/time
                cmp $DIRECTORY/got $DIRECTORY/file && echo same
                awk '{ print ($1 >= 0.83) ? "late" : "early" }' $DIRECTORY/time
                curl -s -m 60 -x http://127.0.0.1:8080 http://none.example/ |
                    grep -o 'no such host'
                end
                kill $(jobs -p)
                """)
    }
}

/// How a proxy begins and ends.
@Suite("Proxy: start and end", .requiresNamespaces, .tags(.anyKernel))
struct ProxyEndTests {
    @Test func `a command beside it ends it, with its exit code`() async throws {
        try await ProxyHost.expect(
            "200\ncode 7\n",
            from: """
                serve
                code=0
                env $IDENTITY $PROGRAM proxy 3G --http 127.0.0.1:0 -- sh -c \
                    'curl -sS -o /dev/null -w "%{http_code}\\n" http://127.0.0.1:8000/; exit 7' \
                    2>/dev/null || code=$?
                echo code $code
                """)
    }

    @Test func `it says what listens, and writes its counters`() async throws {
        try await ProxyHost.expect(
            "127.0.0.1:5433: to localhost:8000 over apple/3G, down.loss=0%\n1\n",
            from: """
                serve
                proxy 3G --set down.loss=0% --listen 127.0.0.1:5433=localhost:8000 \
                    --stats $DIRECTORY/stats
                curl -sS -o /dev/null http://127.0.0.1:5433/
                end
                cat $DIRECTORY/log
                python3 -c 'import json, sys; print(json.load(open(sys.argv[1]))["listeners"][0][
                    "acceptedConnections"])' $DIRECTORY/stats
                """)
    }

    @Test(arguments: [
        ("--listen 127.0.0.1:8000=a.example:1", "127.0.0.1:8000: the address is in use", 1),
        ("--listen 203.0.113.9:1=a.example:1", "this host has no such address", 1),
        ("--listen 127.0.0.1:1", "write LISTEN=TARGET", 64),
        ("--listen 127.0.0.1:1=a", "a: write HOST:PORT", 64),
        ("--socks udp:127.0.0.1:1080", "leave udp: out", 64),
        ("", "nothing would listen", 64),
        ("--api-token x --socks 1080", "--api-token is of the API", 64),
        ("--socks 1080 --set down.delay=5", "no unit", 64),
        ("--api unix:/nodir/x", "unix:/nodir/x: its directory does not exist", 69),
        ("--api unix:/etc/passwd/x", "its path leads through a file", 69),
        ("--api unix:/\(String(repeating: "x", count: 104))", "has at most 103 bytes", 64),
        ("--api unix:/\(String(repeating: "x", count: 200))", "choose a shorter one", 64),
    ])
    func `bad input is refused with a reason`(
        arguments: String, reason: String, code: Int
    ) async throws {
        try await ProxyHost.expect(
            "code \(code)\n",
            from: """
                serve
                code=0
                env $IDENTITY $PROGRAM proxy LTE \(arguments) 2>$DIRECTORY/log || code=$?
                echo code $code
                grep -qF -- '\(reason)' $DIRECTORY/log || cat $DIRECTORY/log
                kill $(jobs -p)
                """)
    }
}
