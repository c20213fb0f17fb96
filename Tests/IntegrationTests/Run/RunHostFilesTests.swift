import Foundation
import LinkTesting
import Testing

/// How programs in a run resolve names while the host's files and services do what they like.
@Suite("Run: names beside the host's files", .requiresNamespaces, .tags(.anyKernel))
struct RunHostFilesTests {
    /// A stand-in host may replace its files. `await FILE` waits for a file of the test, and
    /// `eventually COMMAND` until it succeeds.
    private static let prelude = """
        mkdir $DIRECTORY/etc
        mount -t tmpfs -o mode=755 tmpfs $DIRECTORY/etc
        cp -a /etc/. $DIRECTORY/etc/
        mount --bind $DIRECTORY/etc /etc
        rm -f /etc/resolv.conf
        # As systemd-resolved, NetworkManager and DHCP clients do.
        replace() { cat >/etc/new; mv /etc/new /etc/$1; }
        eventually() { for i in $(seq 1000); do "$@" && return; sleep 0.02; done; return 1; }
        await() { eventually test -e $DIRECTORY/$1; }
        export -f eventually await

        """

    @Test(arguments: Caller.allCases)
    func `stay as they are when the host replaces or removes files`(caller: Caller) async throws {
        let result = try await StandInHost.script(
            Self.prelude + """
                echo nameserver 192.0.2.53 | replace resolv.conf
                cp /etc/hosts $DIRECTORY/hosts
                (run LTE -- bash -c '
                    names() {
                        getent ahostsv4 host.linkcond | grep -q "^198.18.0.1 " &&
                            grep -qx "nameserver 198.18.0.1" /etc/resolv.conf
                    }
                    files() { names && grep -qx "hosts: files dns" /etc/nsswitch.conf; }
                    files && echo at first; touch $DIRECTORY/begun; await replaced
                    eventually files && echo replaced; touch $DIRECTORY/seen; await removed
                    eventually files && echo removed') &
                await begun
                (cat $DIRECTORY/hosts; echo "# new") | replace hosts
                echo nameserver 127.0.0.53 | replace resolv.conf
                touch $DIRECTORY/replaced; await seen
                cp /etc/nsswitch.conf $DIRECTORY/; rm /etc/nsswitch.conf /etc/hosts; sleep 0.3
                cp $DIRECTORY/{nsswitch.conf,hosts} /etc
                touch $DIRECTORY/removed
                wait $!
                cat /etc/resolv.conf; diff /etc/hosts $DIRECTORY/hosts
                """, by: caller)
        #expect(result.exitCode == 0, "\(result)")
        let expected = "at first\nreplaced\nremoved\nnameserver 127.0.0.53\n"
        #expect(result.standardOutput == expected, "\(result)")
    }

    /// Otherwise what covers ours would be covered in turn.
    @Test func `show what the command itself mounts there`() async throws {
        let result = try await StandInHost.script(
            Self.prelude + """
                echo nameserver 192.0.2.53 | replace resolv.conf
                echo 192.0.2.7 own.example >$DIRECTORY/own
                (run LTE -- bash -c '
                    mount --bind $DIRECTORY/own /etc/hosts
                    touch $DIRECTORY/begun; await replaced
                    eventually grep -qx "nameserver 198.18.0.1" /etc/resolv.conf
                    cat /etc/hosts') &
                await begun
                echo nameserver 127.0.0.53 | replace resolv.conf
                touch $DIRECTORY/replaced
                wait $!
                """, by: .root)
        #expect(result.standardOutput == "192.0.2.7 own.example\n", "\(result)")
    }

    @Test(arguments: Caller.allCases)
    func `are asked of the name server that the host has now`(caller: Caller) async throws {
        let result = try await StandInHost.script(
            Self.prelude + """
                for i in 1 2; do
                    (peer name_server 127.0.0.5$i 192.0.2.10$i >/dev/null) & servers="$servers $!"
                    eventually bash -c "ss -Hlun src 127.0.0.5$i | grep -q :53"
                done
                echo nameserver 127.0.0.51 | replace resolv.conf
                (run LTE -- bash -c '
                    ask() { dig +short +tries=1 a.example | grep "$@"; }
                    ask .; touch $DIRECTORY/begun; await replaced; ask .') &
                await begun
                # A network that is left for a moment, then another one.
                : >/etc/resolv.conf
                echo nameserver 127.0.0.52 | replace resolv.conf
                touch $DIRECTORY/replaced
                wait $!
                kill $servers
                """, by: caller)
        #expect(result.standardOutput == "192.0.2.101\n192.0.2.102\n", "\(result)")
    }

    /// The C library asks nscd before it reads any file. The service stands outside of the run.
    @Test(arguments: Caller.allCases)
    func `are not asked of the host's cache`(caller: Caller) async throws {
        let result = try await StandInHost.script(
            Self.prelude + """
                echo nameserver 192.0.2.53 | replace resolv.conf
                mkdir /run/nscd
                cat >$DIRECTORY/cache.py <<'END'
                import os, socket, struct
                server = socket.socket(socket.AF_UNIX)
                server.bind("/run/nscd/socket")
                os.chmod("/run/nscd/socket", 0o666)
                server.listen()
                print("listens", flush=True)
                while True:
                    client, _ = server.accept()
                    request = client.recv(12)
                    # Requests of nscd(8) that concern hosts.
                    if len(request) == 12 and struct.unpack("=iii", request)[1] in (4, 5, 6, 7, 13, 14):
                        print("asked", flush=True)
                    client.close()
                END
                python3 $DIRECTORY/cache.py >>$DIRECTORY/log & cache=$!
                eventually grep -q listens $DIRECTORY/log
                getent ahosts other.example || true
                grep -q asked $DIRECTORY/log
                : >$DIRECTORY/log
                (run LTE -- getent hosts host.linkcond)
                cat $DIRECTORY/log
                kill $cache
                """, by: caller)
        #expect(result.standardOutput.split(separator: "\n").count == 1, "\(result)")
        #expect(result.standardOutput.contains(" host.linkcond"), "\(result)")
    }
}
