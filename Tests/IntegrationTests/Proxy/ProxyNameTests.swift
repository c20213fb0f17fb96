import LinkTesting
import Testing

/// How a proxy finds targets by their names.
@Suite("Proxy: names", .requiresNamespaces, .tags(.anyKernel))
struct ProxyNameTests {
    private static let start = """
        serve
        cp $DIRECTORY/proxying.py $DIRECTORY/file
        names() { printf "$@" >$DIRECTORY/resolv.conf; }
        names 'options timeout:3 attempts:1\\nnameserver 127.0.0.1\\n'
        mount --bind $DIRECTORY/resolv.conf /etc/resolv.conf
        python3 "\(BuiltProduct.packageDirectory)/Tests/IntegrationTests/Fixtures/short_answers.py" &
        until ss -Hltn | grep -q 127.0.0.1:53 && ss -Hlun | grep -q 127.0.0.1:53; do sleep 0.05; done
        get() { curl -sS -m 60 -o $DIRECTORY/got "$@" && cmp $DIRECTORY/got $DIRECTORY/file; }

        """

    @Test(arguments: Caller.allCases)
    func `what has no room in a datagram is asked for by TCP, over the link`(
        caller: Caller
    ) async throws {
        // Five round trips of 115 ms: a datagram, a connection and an answer; and those of the request.
        try await ProxyHost.expect(
            "same\nlate\nsame\n",
            from: Self.start + """
                proxy LTE --http 127.0.0.1:8080 --socks 127.0.0.1:1080
                get -x http://127.0.0.1:8080 -w '%{time_total}' \
                    http://whole.example:8000/file >$DIRECTORY/time && echo same
                awk '{ print ($1 >= 0.55) ? "late" : "early" }' $DIRECTORY/time
                get --socks5-hostname 127.0.0.1:1080 http://whole.example:8000/file && echo same
                end
                kill $(jobs -p)
                """, by: caller)
    }

    @Test func `clients are told what came in the place of an answer, and nothing stays open`()
        async throws
    {
        try await ProxyHost.expect(
            """
            502 servfail.example:80: the name server does not resolve it: SERVFAIL
            504 early.example:80: the name server does not resolve it: no answer by TCP
            504 half.example:80: the name server does not resolve it: no answer by TCP
            504 garbage.example:80: the name server does not resolve it: no answer by TCP
            504 silent.example:80: the name server does not resolve it: no answer by TCP
            all closed

            """,
            from: Self.start + """
                proxy baseline --http 127.0.0.1:8080
                ask() {
                    curl -s -m 60 -x http://127.0.0.1:8080 -w '%{http_code} ' -o $DIRECTORY/got \
                        http://$1.example/
                    sed 's/linkcond proxy: //' $DIRECTORY/got
                }
                open() {
                    for process in $(grep -lsa LCTEST_RUN=$DIRECTORY /proc/[0-9]*/environ); do
                        process=${process%/environ}
                        if grep -qsa proxy-endpoint $process/cmdline; then ls $process/fd; fi
                    done | wc -l
                }
                get -x http://127.0.0.1:8080 http://localhost:8000/file
                until [ "$(open)" = "${before:-none}" ]; do before=$(open); sleep 0.5; done
                for name in servfail early half garbage silent; do ask $name; done
                after=0
                for time in $(seq 100); do
                    if [ "$after" != "$before" ]; then after=$(open); sleep 0.1; fi
                done
                test $before -gt 5 -a $after = $before && echo all closed || echo $before $after
                end
                kill $(jobs -p)
                """)
    }

    @Test func `a server that does not answer by TCP leads to the next`() async throws {
        try await ProxyHost.expect(
            "same\n",
            from: Self.start + """
                names 'options timeout:3 attempts:1\\nnameserver 127.0.0.1\\nnameserver 127.0.0.2\\n'
                proxy baseline --http 127.0.0.1:8080
                get -x http://127.0.0.1:8080 http://other.example:8000/file && echo same
                end
                kill $(jobs -p)
                """)
    }

    @Test func `IPv4-mapped addresses are those of IPv4`() async throws {
        try await ProxyHost.expect(
            "SOCKS\nHTTP\nname\nforward\n",
            from: Self.start + """
                target='[::ffff:127.0.0.1]:8000'
                proxy baseline --http 127.0.0.1:8080 --socks 127.0.0.1:1080 \
                    --listen "127.0.0.1:5433=$target"
                get -g --socks5 127.0.0.1:1080 "http://$target/file" && echo SOCKS
                get -g -x http://127.0.0.1:8080 "http://$target/file" && echo HTTP
                get -x http://127.0.0.1:8080 http://mapped.example:8000/file && echo name
                get http://127.0.0.1:5433/file && echo forward
                end
                kill $(jobs -p)
                """)
    }
}
