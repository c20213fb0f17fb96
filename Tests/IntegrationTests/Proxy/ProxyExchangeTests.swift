import LinkTesting
import Testing

/// Requests for whole URLs whose client or server leaves early, or does not keep to HTTP.
@Suite("Proxy: HTTP with bad partners", .requiresNamespaces, .tags(.anyKernel))
struct ProxyExchangeTests {
    /// `server PORT 'CODE'` starts a server that treats each connection with that code of Python, in
    /// which `k` is its socket.
    private static let prelude = """
        server() {
            cat >$DIRECTORY/server$1.py <<END
        import socket, threading, time
        def handle(k):
            $2
            k.close()
        listener = socket.create_server(("127.0.0.1", $1))
        open("$DIRECTORY/listens$1", "w").close()
        while True:
            threading.Thread(target=handle, args=(listener.accept()[0],), daemon=True).start()
        END
            python3 $DIRECTORY/server$1.py >$DIRECTORY/log$1 & servers="$servers $!"
            until [ -e $DIRECTORY/listens$1 ]; do sleep 0.02; done
        }
        get() { curl -s -m 60 -x http://127.0.0.1:8080 -w ' %{http_code} %{exitcode}\\n' "$@" || true; }
        over() { end; kill $servers; wait $servers 2>/dev/null || true; }

        """

    @Test func `an answer that is none is told, and one that is cut is seen to be`() async throws {
        try await ProxyHost.expect(
            """
            linkcond proxy: 127.0.0.1:8001: it ends within the head of its answer
             502 0
            linkcond proxy: 127.0.0.1:8002: it ends without an answer
             502 0
             200 56
             502 0

            """,
            from: Self.prelude + """
                server 8001 'k.recv(4096); k.sendall(b"HTTP/1.1 200 OK\\r\\nContent-Le")'
                server 8002 'k.recv(4096)'
                server 8003 'k.recv(4096); k.sendall(b"HTTP/1.1 200 OK\\r\\nTransfer-Encoding: chunked\\r\\n\\r\\n3\\r\\nabc\\r\\nzz\\r\\n"); time.sleep(60)'
                server 8004 'k.recv(4096); k.sendall(b"HTTP/1.1 200 OK\\r\\nA: ".ljust(1 << 16, b"x")); time.sleep(60)'
                proxy Baseline --http 127.0.0.1:8080
                for port in 8001 8002 8003; do get http://127.0.0.1:$port/; done
                get -o $DIRECTORY/got http://127.0.0.1:8004/
                over
                """)
    }

    @Test func `a server learns that a client has gone, and nothing of it is left`() async throws {
        try await ProxyHost.expect(
            "28\nleft\n0\n0\n",
            from: Self.prelude + """
                server 8001 'k.recv(4096); k.sendall(b"HTTP/1.1 200 OK\\r\\n\\r\\nevent\\n"); print("left", len(k.recv(4096)), flush=True)'
                server 8002 'k.recv(4096); k.sendall(b"HTTP/1.1 200 OK\\r\\nContent-Length: 2\\r\\n\\r\\nok"); k.recv(4096)'
                proxy Baseline --http 127.0.0.1:8080
                curl -s -m 1 -o $DIRECTORY/got -x http://127.0.0.1:8080 http://127.0.0.1:8001/ || echo $?
                until [ -s $DIRECTORY/log8001 ]; do sleep 0.05; done
                tr -d ' 0' <$DIRECTORY/log8001
                # A client that leaves with half a request behind a whole one.
                python3 -c '
                import socket
                client = socket.create_connection(("127.0.0.1", 8080))
                client.sendall(b"GET http://127.0.0.1:8002/ HTTP/1.1\\r\\n\\r\\n")
                while not client.recv(4096).endswith(b"ok"): pass
                client.sendall(b"\\r\\nGET http://")
                '
                # The proxy has closed its ends of both.
                for which in 'close-wait sport = :8080' 'established dport = :8002'; do
                    for round in $(seq 200); do
                        left=$(ss -Htn state $which | wc -l)
                        [ $left = 0 ] && break
                        sleep 0.05
                    done
                    echo $left
                done
                over
                """)
    }

    @Test func `a refusal in the middle of an upload arrives`() async throws {
        try await ProxyHost.expect(
            "big 413 0\nbig 413 0\nbig 413 0\n",
            from: Self.prelude + """
                server 8001 'k.recv(10); k.sendall(b"HTTP/1.1 413 Too Large\\r\\nContent-Length: 3\\r\\n\\r\\nbig")'
                head -c 20000000 /dev/zero >$DIRECTORY/upload
                proxy Baseline --http 127.0.0.1:8080
                for round in 1 2 3; do
                    get -H Expect: --data-binary @$DIRECTORY/upload http://127.0.0.1:8001/
                done
                over
                """)
    }

    /// curl repeats a request on a connection that the server had closed meanwhile, as it does without
    /// a proxy.
    @Test func `an idle connection that a server closes is no failure`() async throws {
        try await ProxyHost.expect(
            "200 200 \n",
            from: Self.prelude + """
                server 8001 'k.settimeout(1)
                    try:
                        while k.recv(4096): k.sendall(b"HTTP/1.1 200 OK\\r\\nContent-Length: 2\\r\\n\\r\\nok")
                    except TimeoutError: pass'
                proxy 3G --http 127.0.0.1:8080
                # The second request is on the link when the server closes.
                curl -s -m 60 --rate 46/m -x http://127.0.0.1:8080 -o $DIRECTORY/got -w '%{http_code} ' \\
                    http://127.0.0.1:8001/ -o $DIRECTORY/got http://127.0.0.1:8001/
                echo
                over
                """)
    }

    @Test func `a client of HTTP 1.0 gets no chunks`() async throws {
        try await ProxyHost.expect(
            "1.0 200 0\n1.1 200 0\n",
            from: Self.prelude + """
                server 8001 'request = k.recv(4096)
                    chunks = b"HTTP/1.1 200 OK\\r\\nTransfer-Encoding: chunked\\r\\n\\r\\n3\\r\\n1.1\\r\\n0\\r\\n\\r\\n"
                    k.sendall(chunks if b"HTTP/1.1" in request else b"HTTP/1.1 200 OK\\r\\n\\r\\n1.0")'
                proxy Baseline --http 127.0.0.1:8080
                get -0 http://127.0.0.1:8001/
                get http://127.0.0.1:8001/
                over
                """)
    }
}
