import LinkTesting
import Testing

/// Servers of a command that clients of the host reach.
@Suite("Run: published ports", .requiresNamespaces, .tags(.contrary, .anyKernel))
struct RunPublishTests {
    /// Runs a script on a host, and expects that all goes well and what it prints.
    private func expect(
        _ output: String, from script: String, by caller: Caller = .ordinaryUser
    ) async throws {
        let result = try await StandInHost.script(
            """
            # Waits until a server answers, and then ends the run in the background.
            reach() { until curl -s -m 20 -o /dev/null "$1"; do sleep 0.05; done; }
            end() { kill $job; wait $job || true; }

            """ + script, by: caller)
        #expect(result.exitCode == 0, "\(result.standardError)")
        #expect(result.standardOutput == output, "\(result.standardError)")
    }

    @Test(arguments: Caller.allCases)
    func `a web server is reached on both loopbacks, through the link`(
        caller: Caller
    ) async throws {
        try await expect(
            "same\nsame\nhost.linkcond\nlate\nrefused\n",
            from: """
                head -c 2000000 /dev/urandom >$DIRECTORY/file
                (run LTE --uplink none --publish 8080:80 -- \
                    python3 -m http.server --bind 0.0.0.0 --directory $DIRECTORY 80 \
                    >$DIRECTORY/log 2>&1) & job=$!
                reach http://127.0.0.1:8080/
                for host in 127.0.0.1 '[::1]'; do
                    curl -sS -m 60 http://$host:8080/file | cmp - $DIRECTORY/file && echo same
                done
                # The server sees its clients as the host.
                grep -q '^198.18.[0-9]*.1 ' $DIRECTORY/log && echo host.linkcond
                # A handshake and a request: two round trips of 115 ms.
                curl -s -o /dev/null -w '%{time_starttransfer}' http://127.0.0.1:8080/ \
                    | awk '{ print ($1 >= 0.22) ? "late" : "early" }'
                end
                curl -s -m 5 http://127.0.0.1:8080/ || [ $? != 7 ] || echo refused
                """, by: caller)
    }

    @Test func `an upload arrives whole, and each end may stop sending first`() async throws {
        try await expect(
            "same\n",
            from: """
                (run WiFi --uplink none --publish 8080:8000 -- python3 $DIRECTORY/peers.py \
                    half_close_server 8000 2>$DIRECTORY/log) & job=$!
                until python3 $DIRECTORY/peers.py half_close_client 127.0.0.1 8080 0 \
                    >/dev/null 2>&1; do sleep 0.05; done
                python3 $DIRECTORY/peers.py half_close_client 127.0.0.1 8080 3000000
                end
                """)
    }

    @Test(arguments: Caller.allCases)
    func `a UDP server answers each of its clients`(caller: Caller) async throws {
        try await expect(
            "one two\n",
            from: """
                (run WiFi --uplink none --publish 5353:53/udp -- python3 $DIRECTORY/peers.py \
                    datagram_echo_server 53 0.0.0.0 2>$DIRECTORY/log) & job=$!
                python3 - <<'END'
                import socket
                clients = [socket.socket(socket.AF_INET, socket.SOCK_DGRAM) for _ in range(2)]
                words = [b"one", b"two"]
                answers = {}
                while len(answers) < 2:
                    for client, word in zip(clients, words):
                        client.settimeout(0.5)
                        client.sendto(word, ("127.0.0.1", 5353))
                        try:
                            answers[client] = client.recv(100)
                        except OSError:
                            pass
                print(*(answers[client].decode() for client in clients))
                END
                end
                """, by: caller)
    }

    @Test func `UDP is answered from the address that the client has asked`() async throws {
        try await expect(
            "here\n",
            from: """
                (run WiFi --uplink none --publish 0.0.0.0:5353:53/udp -- \
                    python3 $DIRECTORY/peers.py datagram_echo_server 53 0.0.0.0 \
                    2>$DIRECTORY/log) & job=$!
                python3 - <<'END'
                import socket
                client = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
                # A connected socket hears nothing from other addresses.
                client.connect(("127.0.0.2", 5353))
                client.settimeout(0.5)
                while True:
                    try:
                        client.send(b"here")
                        print(client.recv(100).decode())
                        break
                    except OSError:
                        pass
                END
                end
                """)
    }

    @Test func `a server's last words arrive though the command has ended`() async throws {
        try await expect(
            "200000\n",
            from: """
                (run 3G --uplink none --publish 8080:80 -- python3 -c '
                import socket
                server = socket.create_server(("", 80))
                client, _ = server.accept()
                client.sendall(bytes(200000))
                ') & job=$!
                until count=$(python3 -c '
                import socket
                client = socket.create_connection(("127.0.0.1", 8080), 60)
                count = 0
                while part := client.recv(65536): count += len(part)
                print(count)' 2>/dev/null); do sleep 0.05; done
                echo $count
                wait $job
                """)
    }

    @Test func `a port in use is told before anything starts`() async throws {
        try await expect(
            "code 125\n",
            from: """
                serve
                (run WiFi --publish 8000:80 -- echo started 2>$DIRECTORY/log) || echo code $?
                grep -q -- '--publish 8000:80: 127.0.0.1:8000 is in use' $DIRECTORY/log
                kill $(jobs -p)
                """)
    }

    @Test func `a low port and a foreign address are told`() async throws {
        try await expect(
            "code 125\ncode 125\n",
            from: """
                (run WiFi --publish 80:80 -- echo started 2>$DIRECTORY/low) || echo code $?
                grep -q 'lets only root listen on port 80' $DIRECTORY/low
                (run WiFi --publish 203.0.113.9:8080:80 -- echo started 2>$DIRECTORY/far) ||
                    echo code $?
                grep -q 'this host has no address 203.0.113.9' $DIRECTORY/far
                """)
    }

    @Test func `a server on the run's loopback alone is told`() async throws {
        try await expect(
            "",
            from: """
                (run WiFi --uplink none --publish 8080:80 -- \
                    python3 -m http.server --bind 127.0.0.1 80 >/dev/null 2>$DIRECTORY/log) & job=$!
                until grep -q 'listens on 127.0.0.1 or ::1 alone' $DIRECTORY/log; do
                    curl -s -m 5 http://127.0.0.1:8080/ || true
                    sleep 0.05
                done
                end
                """)
    }

    @Test func `the other interface leads there when the first is down`() async throws {
        try await expect(
            "200\n",
            from: """
                cat >$DIRECTORY/down.yaml <<'END'
                name: Down
                interfaces: { wifi0: { profile: WiFi }, cell0: { profile: LTE } }
                timeline: [{ at: 1 s, interface: wifi0, down: true }]
                END
                (run --scenario $DIRECTORY/down.yaml --uplink none --publish 8080:80 -v -- \
                    python3 -m http.server --bind 0.0.0.0 80 >$DIRECTORY/log 2>&1) & job=$!
                until grep -q 'wifi0: down' $DIRECTORY/log; do sleep 0.05; done
                reach http://127.0.0.1:8080/
                curl -sS -m 30 -o /dev/null -w '%{http_code}\\n' http://127.0.0.1:8080/
                end
                """)
    }
}
