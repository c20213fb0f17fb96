import Foundation
import LinkTesting
import Testing

/// What becomes of UDP of commands in a run, by the uplink.
@Suite("Run: datagrams", .requiresNamespaces, .requiresUplink, .tags(.contrary, .anyKernel))
struct RunDatagramTests {
    /// Runs a script on a host, which has to end well, and returns what it prints.
    private func output(
        of script: String, by caller: Caller = .root, arguments: [String] = []
    ) async throws -> String {
        let result = try await StandInHost.script(script, by: caller, arguments: arguments)
        #expect(result.exitCode == 0, "\(result.standardError)")
        return result.standardOutput
    }

    /// A server of TFTP answers each request from a port of its own.
    @Test(arguments: [(Caller.root, "auto"), (.root, "veth"), (.ordinaryUser, "auto")])
    func `curl gets and puts files by TFTP`(caller: Caller, uplink: String) async throws {
        let output = try await output(
            of: """
                mkdir -m 777 $DIRECTORY/files
                seq 3000 >$DIRECTORY/files/get
                touch $DIRECTORY/files/put
                chmod 666 $DIRECTORY/files/*
                dnsmasq --conf-file=/dev/null --keep-in-foreground --port=0 --user=root \
                    --pid-file= --bind-interfaces --listen-address=127.0.0.1 --enable-tftp \
                    --tftp-root=$DIRECTORY/files 2>$DIRECTORY/log &
                until ss -Huln | grep -q 127.0.0.1:69; do sleep 0.02; done
                (run WiFi --uplink $1 -- sh -c '
                    curl -s -m 20 tftp://host.linkcond/get | cmp - $DIRECTORY/files/get &&
                    echo the same')
                kill $(jobs -p)
                """, by: caller, arguments: [uplink])
        #expect(output == "the same\n")
    }

    private struct Statistics: Decodable {
        struct Way: Decodable { let counters: Counters }
        struct Counters: Decodable { let packets, dropped: Int }
        struct Uplink: Decodable { let down, up: Losses }
        struct Losses: Decodable { let unreadPackets, unsentPackets: Int }
        let down: Way
        let uplink: Uplink?
        let faithful: Bool?
    }

    /// The queue of LTE holds 417 packets.
    @Test(arguments: Caller.allCases)
    func `a burst that the queue of the profile holds comes to the link as a whole`(
        caller: Caller
    ) async throws {
        let text = try await output(
            of: """
                (peer burst_server 4000 400 1200) &
                until ss -Huln | grep -q :4000; do sleep 0.02; done
                (run LTE --stats $DIRECTORY/stats -- \
                    sh -c 'exec python3 $DIRECTORY/peers.py ask_for_burst 198.18.0.1 4000' \
                    >/dev/null)
                cat $DIRECTORY/stats
                kill $(jobs -p)
                """, by: caller)
        let statistics = try JSONDecoder().decode(Statistics.self, from: Data(text.utf8))
        #expect(statistics.down.counters.packets == 400)
        #expect(statistics.down.counters.dropped == 0)
        let uplink = try #require(statistics.uplink)
        #expect(uplink.down.unreadPackets + uplink.down.unsentPackets == 0)
    }

    /// Nobody reads while the process is stopped that relays.
    @Test func `what the uplink loses is counted and told`() async throws {
        let result = try await StandInHost.script(
            """
            (peer ordered_burst_server 4000 $DIRECTORY 40000) &
            until ss -Huln | grep -q :4000; do sleep 0.02; done
            (run LTE --stats $DIRECTORY/stats -- \
                sh -c 'exec python3 $DIRECTORY/peers.py ask_for_burst 198.18.0.1 4000' \
                >/dev/null) &
            relay=$!
            until [ -e $DIRECTORY/asked ]; do sleep 0.02; done
            kill -STOP $relay
            touch $DIRECTORY/go
            until [ -e $DIRECTORY/gone ]; do sleep 0.02; done
            kill -CONT $relay
            wait $relay
            cat $DIRECTORY/stats
            """, by: .root)
        #expect(result.exitCode == 0, "\(result.standardError)")
        let statistics = try JSONDecoder().decode(
            Statistics.self, from: Data(result.standardOutput.utf8))
        #expect(statistics.faithful == false)
        let lost = try #require(statistics.uplink).down.unreadPackets
        #expect(lost > 0)
        #expect(
            result.standardError.contains(
                "the uplink lost packets that the profile did not lose (\(lost) toward the command"
            ), "\(result.standardError)")
    }

    @Test(arguments: Caller.allCases, [1, 2, 3])
    func `a command has as many name servers as the host`(caller: Caller, count: Int) async throws {
        let output = try await output(
            of: """
                seq -f 'nameserver 127.0.0.%g' $1 >$DIRECTORY/resolv.conf
                mount --bind $DIRECTORY/resolv.conf $(readlink -f /etc/resolv.conf)
                (run WiFi -- sh -c 'grep -c ^nameserver /etc/resolv.conf
                    for server in $(sed -n "s/^nameserver //p" /etc/resolv.conf); do
                        python3 $DIRECTORY/peers.py datagram_refused $server 53
                    done')
                """, by: caller, arguments: ["\(count)"])
        let refused = String(repeating: "ConnectionRefusedError\n", count: count)
        #expect(output == "\(count)\n\(refused)")
    }

    /// A C library waits for 5 s until it asks again.
    @Test(arguments: Caller.allCases)
    func `without uplink names are refused at once`(caller: Caller) async throws {
        let output = try await output(
            of: """
                echo 'nameserver 192.0.2.53' >$DIRECTORY/resolv.conf
                mount --bind $DIRECTORY/resolv.conf $(readlink -f /etc/resolv.conf)
                (run LTE --uplink none -- sh -c 'grep -c ^nameserver /etc/resolv.conf
                    timeout 4 getent hosts name.example; echo $?')
                """, by: caller)
        #expect(output == "0\n2\n")
    }
}
