import Foundation
import LinkTesting
import Testing

/// The server of the panel, asked by curl.
@Suite("serve", .tags(.anyKernel)) struct ServeTests {
    /// Runs a script with the variables `linkcond` and a free `port` in a network of its own, with
    /// sessions and locks of its own.
    private func shell(
        _ script: String, environment: [String: String]? = nil
    ) async throws -> ProcessResult {
        let program = try TestNetwork.program()
        let head = """
            mount -t tmpfs -o mode=755 run /run
            unset XDG_RUNTIME_DIR
            ip link set lo up
            linkcond='\(program)' port=8475 work=$(mktemp -d)
            trap 'rm -rf "$work"' EXIT
            start() {
                "$linkcond" serve --port $port "$@" >"$work/address" 2>"$work/messages" &
                until [ -s "$work/address" ] || ! kill -0 $!; do sleep 0.02; done
            }
            ask() { curl --silent --show-error --max-time 30 --cookie-jar "$work/jar" --cookie "$work/jar" "$@"; }

            """
        return try await runProcess(
            "unshare",
            // Everything ends with the first process.
            [
                "--net", "--map-root-user", "--mount", "--pid", "--fork", "--kill-child",
                "--mount-proc", "sh", "-euc", head + script,
            ],
            environment: environment)
    }

    @Test(.requiresEngineHooks)
    func `a client made of the description uses all of it, and of writers at once one wins`()
        async throws
    {
        let result = try await shell(
            """
            ip link add eth0 type veth peer name far0
            ip addr add 192.0.2.1/24 dev eth0
            ip link set eth0 up
            ip link set far0 up
            export LINKCOND_API_TOKEN=0123456789abcdef
            start
            python3 '\("host_client.py".absoluteFixture)' http://127.0.0.1:$port $LINKCOND_API_TOKEN
            """,
            environment: ProcessInfo.processInfo.environment.merging(
                try PythonTool.environment()
            ) { $1 })
        #expect(result.standardOutput == "done\n", "\(result.standardError)")
    }

    @Test(.requiresEngineHooks)
    func `one that is killed leaves neither its port nor a scenario, and closes its connections`()
        async throws
    {
        let result = try await shell(
            """
            ip link add eth0 type veth peer name far0
            ip link set eth0 up
            ip link set far0 up
            export LINKCOND_API_TOKEN=0123456789abcdef
            api() { ask -H "Authorization: Bearer $LINKCOND_API_TOKEN" "$@"; }
            begin() { rm -f "$work/address"; start; server=$!; }
            eventually() { until "$@"; do sleep 0.05; done; }
            isConditioned() { "$linkcond" status | grep -q eth0; }
            isClear() { ! isConditioned; }
            begin
            api --no-buffer http://127.0.0.1:$port/v1/host/events >"$work/events" & listener=$!
            api -X POST -H 'Content-Type: application/json' \\
                -d '{"scenario": "Elevator", "interfaces": ["cell0=eth0"]}' \\
                http://127.0.0.1:$port/v1/host/plays | grep -o '"isOver":false'
            eventually isConditioned
            eventually test -s "$work/events"
            kill -9 $server
            wait $listener && echo "the listener was not told" || true
            begin
            api --output /dev/null --write-out '%{http_code}\\n' http://127.0.0.1:$port/v1/host/plays
            eventually isClear
            """)
        #expect(
            result.standardOutput == "\"isOver\":false\n200\n", "\(result.standardError)")
    }

    @Test(.requiresNamespaces)
    func `what reads the state of a run ends by itself when nobody reads it`() async throws {
        let result = try await shell(
            """
            "$linkcond" run --uplink none 3G -- sleep 1000 & run=$!
            until "$linkcond" status --pid $run | grep -q 3G; do sleep 0.05; done 2>/dev/null
            mkfifo "$work/input"
            "$linkcond" serve-feed --pid $run <"$work/input" >"$work/lines" & feed=$!
            exec 3>"$work/input"
            until [ "$(wc -l <"$work/lines")" -gt 1 ]; do sleep 0.05; done
            exec 3>&-
            wait $feed
            kill -0 $run && echo ended
            """)
        #expect(result.standardOutput == "ended\n", "\(result.standardError)")
    }

    @Test(
        .enabled(if: hasPrograms("systemd-socket-activate"), "systemd is not installed"))
    func `a socket of systemd starts it, and its first request is answered`() async throws {
        let result = try await shell(
            """
            export LINKCOND_API_TOKEN=0123456789abcdef
            systemd-socket-activate -E LINKCOND_API_TOKEN -E XDG_RUNTIME_DIR -l 127.0.0.1:$port \\
                "$linkcond" serve --port $port >"$work/address" 2>"$work/messages" &
            until grep -q Listening "$work/messages"; do sleep 0.02; done
            ask -H "Authorization: Bearer $LINKCOND_API_TOKEN" http://127.0.0.1:$port/v1/host
            grep -c "^http://127.0.0.1:$port/login" "$work/address"
            # The units of the packages, with this program and without its manual page.
            for unit in service socket; do
                sed "s,/usr/bin/linkcond,$linkcond,; /^Documentation/d" \\
                    '\(BuiltProduct.packageDirectory)/Scripts/packaging/linkcond-serve'.$unit \\
                    >"$work/linkcond-serve.$unit"
            done
            systemd-analyze verify "$work"/linkcond-serve.service "$work"/linkcond-serve.socket 1>&2
            """)
        #expect(result.standardOutput.contains(#""mayChange":"#), "\(result.standardError)")
        #expect(result.standardOutput.hasSuffix("1\n"))
        #expect(result.exitCode == 0, "\(result.standardError)")
    }

    @Test func `the printed address opens it once, and wrong tokens are slowed down`() async throws
    {
        let result = try await shell(
            """
            start
            address=$(cat "$work/address")
            code() { ask --output /dev/null --write-out '%{http_code}\\n' "$@"; }
            code http://127.0.0.1:$port/v1/host/state
            code "$address"
            code http://127.0.0.1:$port/v1/host/state
            ask http://127.0.0.1:$port/ | grep -c panel.js
            rm "$work/jar"
            code "$address"
            # By one process, as fast as they are answered.
            code "http://127.0.0.1:$port/login?token=[1-50]" | tail -n 1
            """)
        #expect(
            result.standardOutput.split(separator: "\n") == [
                "401", "303", "200", "1", "401", "429",
            ],
            "\(result.standardError)")
    }

    @Test func `a port in use, and an address without encryption, are refused`() async throws {
        let result = try await shell(
            """
            start
            grep -o 'open this address' "$work/messages"
            "$linkcond" serve --port $port 2>&1 && exit 1 || echo $?
            "$linkcond" serve --listen 192.0.2.1:80 2>&1 && exit 1 || echo $?
            """)
        // Only of the server that serves.
        #expect(
            result.standardOutput.matches(of: /open this address/).count == 1,
            "\(result.standardOutput)")
        let lines = result.standardOutput.split(separator: "\n")
        #expect(lines.contains { $0.contains("another program listens there") })
        #expect(lines.contains("69"))
        #expect(lines.contains { $0.contains("--insecure to accept that") })
        #expect(lines.contains("64"))
    }

    @Test(.enabled(if: hasPrograms("openssl"), "openssl is not installed"))
    func `with a certificate it speaks TLS, and its cookie stays there`() async throws {
        let result = try await shell(
            """
            openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=localhost \\
                -addext subjectAltName=DNS:localhost,IP:127.0.0.1 \\
                -keyout "$work/key.pem" -out "$work/cert.pem" 2>/dev/null
            "$linkcond" serve --port $port --certificate "$work/cert.pem" --key "$work/key.pem" \\
                >"$work/address" &
            until [ -s "$work/address" ] || ! kill -0 $!; do sleep 0.02; done
            ask --cacert "$work/cert.pem" --include --output - "$(cat "$work/address")"
            port=8476
            "$linkcond" serve --listen 127.0.0.1:$port --insecure --host-name lab.example \\
                --certificate "$work/cert.pem" --key "$work/key.pem" >"$work/second" 2>"$work/log" &
            until [ -s "$work/second" ] || ! kill -0 $!; do sleep 0.02; done
            cut -c 1-23 "$work/second"
            ask --cacert "$work/cert.pem" --output /dev/null --write-out '%{http_code}\\n' \\
                -H 'Host: lab.example' https://127.0.0.1:$port/
            cat "$work/log"
            """)
        // Not 403: the name is known.
        #expect(
            result.standardOutput.hasSuffix(
                """
                https://127.0.0.1:8476/
                401
                open this address in a browser; it works once, for 12 hours:

                """), "\(result.standardOutput)")
        #expect(result.standardOutput.contains("set-cookie: __Host-linkcond="))
        #expect(result.standardOutput.contains("; Secure"), "\(result.standardError)")
    }

    @Test(.enabled(if: hasPrograms("openssl"), "openssl is not installed"))
    func `of a certificate or key that cannot be used, the file and the reason are named`()
        async throws
    {
        let result = try await shell(
            """
            for name in one two; do
                openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 \\
                    -subj /CN=localhost -keyout "$work/$name.key" -out "$work/$name.pem" 2>/dev/null
            done
            openssl pkey -in "$work/one.key" -aes128 -passout pass:secret -out "$work/locked.key"
            sed 5d "$work/one.pem" >"$work/damaged.pem"
            : >"$work/empty"
            mkfifo "$work/pipe"
            try() {
                timeout 10 "$linkcond" serve --port $port --certificate "$work/$1" --key "$work/$2" \\
                    >"$work/address" 2>"$work/messages" && exit 1 || echo "$? $(
                        sed -n "s,$work/,,g; s/^linkcond-api: //p" "$work/messages")"
            }
            try pipe one.key
            try one.pem pipe
            try none.pem one.key
            try one.pem none.key
            try empty one.key
            try one.pem empty
            try one.key one.pem
            try damaged.pem one.key
            try one.pem two.pem
            try one.pem two.key
            try one.pem locked.key
            test ! -s "$work/address"
            """)
        let lines = result.standardOutput.split(separator: "\n")
        let expected = [
            "74 --certificate pipe: is not a regular file; copy what it gives into one",
            "74 --key pipe: is not a regular file; copy what it gives into one",
            "74 --certificate none.pem: no such file", "74 --key none.key: no such file",
            "64 --certificate empty: has no certificate in PEM format, which begins with",
            "64 --key empty: has no private key in PEM format, which begins with",
            "64 --certificate one.key: has no certificate in PEM format, which begins with",
            "64 --certificate damaged.pem: has a damaged certificate; make or copy the file anew",
            "64 --key two.pem: has no private key in PEM format, which begins with",
            "64 --key two.key: is not the key of the first certificate in one.pem; give the one",
            "64 --key locked.key: is protected by a passphrase; write it without",
        ]
        #expect(lines.count == expected.count, "\(result.standardOutput)\(result.standardError)")
        for (line, beginning) in zip(lines, expected) { #expect(line.hasPrefix(beginning)) }
    }

    @Test func `without privilege it says what can be done without`() async throws {
        let result = try await shell(
            """
            export LINKCOND_API_TOKEN=0123456789abcdef XDG_RUNTIME_DIR="$work"
            setpriv --bounding-set=-all --inh-caps=-all true 2>/dev/null || exit 0
            chmod 755 "$work"
            setpriv --bounding-set=-all --inh-caps=-all "$linkcond" serve --port $port >"$work/address" &
            until [ -s "$work/address" ] || ! kill -0 $!; do sleep 0.02; done
            ask -H 'Authorization: Bearer 0123456789abcdef' http://127.0.0.1:$port/v1/host
            ask -H 'Authorization: Bearer 0123456789abcdef' -X PUT -H 'Content-Type: application/json' \\
                -d '{"profile":"3G"}' http://127.0.0.1:$port/v1/host/interfaces/lo/conditions/default
            """)
        #expect(result.standardOutput.contains(#""mayChange":false"#), "\(result.standardError)")
        #expect(result.standardOutput.contains("sudo linkcond serve"))
        #expect(result.standardOutput.contains(#""status":403"#))
    }
}
