import LinkTesting
import Testing

/// What commands in a run reach of the host's network.
@Suite("Run: uplinks", .requiresNamespaces, .tags(.contrary))
struct RunUplinkTests {
    private static let cases: [(Caller, String)] =
        ["auto", "relay", "slirp", "veth"].map { (.root, $0) }
        + ["auto", "relay", "slirp", "pasta"].map { (.ordinaryUser, $0) }

    /// Runs a script on a host, and expects that all goes well and what it prints.
    private func expect(
        _ output: String, from script: String, by caller: Caller, arguments: [String] = []
    ) async throws {
        let result = try await StandInHost.script(script, by: caller, arguments: arguments)
        #expect(result.exitCode == 0, "\(result.standardError)")
        #expect(result.standardOutput == output, "\(result.standardError)")
    }

    @Test(.requiresUplink, arguments: cases)
    func `the host's loopback, its addresses, and its name service`(
        caller: Caller, uplink: String
    ) async throws {
        try await expect(
            "host.linkcond 200\nserver.linkcond 200\n192.0.2.1 200\nstatic.example 192.0.2.77\n",
            from: """
                serve
                python3 -m http.server --directory $DIRECTORY --bind 192.0.2.1 8000 \
                    >/dev/null 2>&1 &
                until curl -s -o /dev/null http://192.0.2.1:8000/; do sleep 0.02; done
                cp /etc/hosts $DIRECTORY/hosts
                echo 192.0.2.77 static.example >>$DIRECTORY/hosts
                mount --bind $DIRECTORY/hosts /etc/hosts
                (run WiFi "$@" --server "cd $DIRECTORY; exec python3 -m http.server 8001" \
                    --server-ready 8001 -- sh -c '
                        for place in host.linkcond:8000 server.linkcond:8001 192.0.2.1:8000; do
                            curl -s -o /dev/null -w "${place%:*} %{http_code}\\n" http://$place/
                        done
                        echo static.example $(getent ahostsv4 static.example | cut -d" " -f1 |
                            head -n 1)' 2>$DIRECTORY/log) ||
                    { code=$?; cat $DIRECTORY/log >&2; exit $code; }
                kill $(jobs -p)
                """, by: caller, arguments: ["--uplink", uplink])
    }

    @Test(.requiresUplink, arguments: Caller.allCases)
    func `git clones over http`(caller: Caller) async throws {
        try await expect(
            "content\n",
            from: """
                git init --quiet --bare $DIRECTORY/bare.git
                git clone --quiet $DIRECTORY/bare.git $DIRECTORY/tree 2>/dev/null
                cd $DIRECTORY/tree
                echo content >file
                git add file
                git -c user.name=test -c user.email=test@example.com commit --quiet -m first
                git push --quiet
                git -C $DIRECTORY/bare.git update-server-info
                cd /
                serve
                (export HOME=$DIRECTORY; run 3G -- git -C $DIRECTORY clone --quiet \
                    http://host.linkcond:8000/bare.git clone)
                cat $DIRECTORY/clone/file
                kill $(jobs -p)
                """, by: caller)
    }

    @Test(.requiresUplink, arguments: Caller.allCases)
    func `pip downloads from an index`(caller: Caller) async throws {
        try await expect(
            "example-1.0-py3-none-any.whl\n",
            from: """
                mkdir -p $DIRECTORY/simple/example
                python3 - $DIRECTORY/simple/example/example-1.0-py3-none-any.whl <<'END'
                import sys, zipfile
                with zipfile.ZipFile(sys.argv[1], "w") as wheel:
                    wheel.writestr("example.py", "x = 1\\n" * 10000)
                    information = "example-1.0.dist-info/"
                    wheel.writestr(
                        information + "METADATA",
                        "Metadata-Version: 2.1\\nName: example\\nVersion: 1.0\\n")
                    wheel.writestr(
                        information + "WHEEL",
                        "Wheel-Version: 1.0\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n")
                    wheel.writestr(information + "RECORD", "")
                END
                serve
                (run LTE -- /usr/bin/python3 -m pip --isolated --disable-pip-version-check \
                    download --quiet --no-cache-dir --dest $DIRECTORY/got \
                    --index-url http://host.linkcond:8000/simple/ \
                    --trusted-host host.linkcond example)
                ls $DIRECTORY/got
                kill $(jobs -p)
                """, by: caller)
    }

    @Test(.requiresUplink) func `a helper that is missing is named, with its package`() async throws
    {
        for (caller, uplink, helper, package) in [
            (Caller.ordinaryUser, "pasta", "pasta", "passt"),
            (.ordinaryUser, "slirp", "slirp4netns", "slirp4netns"),
            (.root, "veth", "nft", "nftables"),
        ] {
            let result = try await StandInHost.script(
                """
                for path in $(which -a \(helper)); do
                    mount --bind $DIRECTORY $path 2>/dev/null || true
                    mount --bind /dev/null $path
                done
                (run WiFi --uplink \(uplink) -- true)
                """, by: caller)
            #expect(result.exitCode == 125)
            #expect(
                result.standardError.hasPrefix(
                    "linkcond: the program \(helper) is not installed; install it with: "
                        + "sudo apt install \(package) "), "\(result.standardError)")
        }
    }

    @Test(.requiresNoUplink) func `a kernel without nftables is named, with what to do`()
        async throws
    {
        let result = try await StandInHost.script("(run WiFi -- true)", by: .root)
        #expect(result.exitCode == 125)
        #expect(
            result.standardError
                == "linkcond: this kernel has no nftables, by which the uplink takes packets; "
                + "use --uplink none, and --server for what the command needs\n")
    }

    @Test(.requiresUplink) func `uplinks that do not suit the caller say what does`() async throws {
        let pasta = try await StandInHost.script("(run WiFi --uplink pasta -- true)", by: .root)
        #expect(pasta.exitCode == 125)
        #expect(pasta.standardError.contains("use --uplink relay"))
        let veth = try await StandInHost.script(
            "(run WiFi --uplink veth -- true)", by: .ordinaryUser)
        #expect(veth.exitCode == 125)
        #expect(veth.standardError.contains("or run it with sudo"))
    }
}
