import LinkTesting
import Testing

@Suite("What a gateway cannot do", .requiresNamespaces, .tags(.anyKernel))
struct GatewayErrorTests {
    /// Runs `linkcond gateway` in a network of its own, where `$0` is linkcond.
    private static func fail(
        _ options: String, after setUp: String = ""
    ) async throws -> (code: Int32?, text: String) {
        let result = try await PrivateHost.script(
            """
            ip link add lan0 type veth peer name lan1
            ip link set lan0 up
            ip link set lan1 up
            \(setUp)
            exec timeout 20 "$0" gateway \(options)
            """)
        return (result.exitCode, result.standardError)
    }

    @Test(arguments: [
        ("-i lan0", "", 64, "--uplink is missing"),
        ("--uplink eth0", "", 64, "-i is missing"),
        ("-i lan0 --uplink lan0", "", 64, "--uplink lan0: is the interface of the devices"),
        ("-i lan9 --uplink eth0", "", 64, "-i lan9: no such interface (have: eth0, eth1, lan0"),
        ("-i lan0 --uplink eth9", "", 64, "--uplink eth9: no such interface"),
        ("-i lo --uplink eth0", "", 64, "-i lo: devices need an Ethernet"),
        ("-i lan0 --uplink lo", "", 64, "--uplink lo: leads nowhere"),
        ("-i lan0 --uplink eth0", "ip link set eth0 down", 69, "eth0: the uplink is down"),
        ("-i lan0 --uplink eth0", "ip link set lan1 down", 69, "lan0: has no carrier"),
        (
            "-i lan0 --uplink eth0 --address 192.0.2.1/24", "", 64,
            "--address 192.0.2.1/24: eth0 leads to 192.0.2.0/24 already"
        ),
        ("-i lan0 --uplink eth0 --address 10.0.0.1", "", 64, "--address 10.0.0.1: write an IPv4"),
        ("-i lan0 --uplink eth0 --device x", "", 64, "--device x: write DEVICE=PROFILE"),
        ("-i lan0 --uplink eth0 --device x=LTEE", "", 64, "LTEE: no such profile"),
        ("-i lan0 --uplink eth0 --default nix9", "", 64, "nix9: no such profile"),
        ("-i lan0 --uplink eth0 --dns name", "", 64, "--dns name: is not an address"),
        ("-i lan0 --uplink eth0 --wifi Lab", "", 64, "--wifi Lab: needs a passphrase"),
        ("-i lan0 --uplink eth0 --file /none.yaml", "", 74, "/none.yaml: no such file"),
        (
            "-i lan0 --uplink eth0",
            "mkdir -p /run/NetworkManager/devices; "
                + "echo managed=true >/run/NetworkManager/devices/$(ip -o link show lan0 | cut -d: -f1)",
            69, "lan0: NetworkManager manages it"
        ),
        (
            "-i lan0 --uplink eth0",
            "export PATH=/nowhere; exec /usr/bin/setpriv "
                + "--bounding-set -net_admin --inh-caps -net_admin \"$0\" gateway -i lan0 --uplink eth0",
            77, "a gateway changes interfaces, which takes root (CAP_NET_ADMIN)"
        ),
        ("devices", "", 69, "no gateway runs in this network namespace"),
        ("set x LTE", "", 69, "no gateway runs in this network namespace"),
        ("set x auto --for 10m", "", 64, "auto: goes with neither"),
    ])
    func `a mistake is told in one line, and nothing is changed`(
        options: String, setUp: String, code: Int32, message: String
    ) async throws {
        let (found, text) = try await Self.fail(options, after: setUp)
        #expect(found == code, "\(text)")
        #expect(text.contains("linkcond: " + message), "\(text)")
    }

    @Test func `without dnsmasq it says what to install`() async throws {
        let (code, text) = try await Self.fail(
            "-i lan0 --uplink eth0", after: "mount -t tmpfs none /usr/sbin")
        #expect(code == 69)
        #expect(
            text.contains(
                "dnsmasq is not installed; on Debian and Ubuntu: sudo apt install dnsmasq-base"))
    }

    @Test func `a taken port is told, and the host is as before`() async throws {
        let result = try await PrivateHost.script(
            """
            ip link add lan0 type veth peer name lan1
            ip link set lan0 up
            ip link set lan1 up
            # Each interface gives itself an address when the kernel has seen its carrier.
            settled() { test $(ip -6 -o address show scope link | grep -vc tentative) = 4; }
            eventually settled
            ip address show >/run/before
            python3 -c 'import socket, time
            server = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
            server.bind(("0.0.0.0", 53))
            print("bound", flush=True)
            time.sleep(60)' >/run/server &
            server=$!
            eventually grep -q bound /run/server
            timeout 20 "$0" gateway -i lan0 --uplink eth0
            echo "ended with $?"
            kill $server
            wait $server 2>/dev/null
            timeout 200 "$0" gateway -i lan0 --uplink eth0 >/run/log 2>&1 &
            gateway=$!
            eventually grep -q 'gateway at' /run/log
            timeout 20 "$0" gateway -i lan0 --uplink eth0
            echo "ended with $?"
            kill $gateway
            wait $gateway
            ip address show | diff /run/before - && echo "as before"
            ls /run/linkcond* | grep gateway
            """)
        #expect(result.standardError.contains("dnsmasq does not run: "))
        #expect(result.standardError.contains("end the other DNS or DHCP server"))
        #expect(result.standardError.contains("another gateway runs in this network namespace"))
        #expect(result.standardOutput == "ended with 69\nended with 64\nas before\n")
    }

    /// With a program in the place of dnsmasq that is slow to write what it has given away.
    @Test(.requiresDataPlane)
    func `what dnsmasq writes at its end is there for the next one`() async throws {
        let result = try await PrivateHost.script(
            """
            ip link add lan0 type veth peer name lan1
            ip link set lan0 up
            ip link set lan1 up
            cat >/run/dnsmasq <<'END'
            #!/bin/sh
            directory=$(dirname "${2#--conf-file=}")
            lease() { echo "4000000000 02:00:00:00:00:0$1 192.168.77.1$1 device$1 *" >>"$directory/leases"; }
            trap 'lease 2; exit' TERM
            [ -e "$directory/leases" ] || lease 1
            echo $$ >"$directory/dnsmasq.pid"
            while :; do sleep 0.05; done
            END
            chmod +x /run/dnsmasq
            mount --bind /run/dnsmasq "$(PATH=$PATH:/usr/sbin command -v dnsmasq)"
            timeout 100 "$0" gateway -i lan0 --uplink eth0 >/run/log 2>&1 &
            gateway=$!
            knows() { "$0" gateway devices 2>&1 | grep -q "^$1 "; }
            eventually knows device1
            # dnsmasq is to tell the device of the cost, for which it starts anew.
            "$0" gateway set device1 LTE >/dev/null
            eventually knows device2
            kill $gateway
            wait $gateway
            echo "ended with $?"
            """)
        #expect(result.standardOutput == "ended with 0\n", "\(result.standardError)")
    }

    @Test func `hostapd's configuration is printed without any privilege`() async throws {
        let result = try await runProcess(
            TestNetwork.program(),
            [
                "gateway", "-i", "wlan0", "--wifi", "Lab", "--passphrase", "12345678",
                "--print-hostapd",
            ])
        #expect(result.exitCode == 0)
        #expect(result.standardOutput.contains("\nssid2=4c6162\n"))
        guard hasPrograms("hostapd") else { return }
        try await withTemporaryDirectory { directory in
            let file = try directory.write(result.standardOutput, to: "hostapd.conf")
            // There is no such interface, but it says first what it does not understand.
            let hostapd = try await runProcess(
                "unshare",
                ["--net", "--map-root-user", "timeout", "10", "hostapd", file])
            let said = hostapd.standardOutput + hostapd.standardError
            #expect(said.contains("wlan0: AP-DISABLED"), "\(said)")
            #expect(!said.contains("errors found in configuration file"), "\(said)")
        }
    }
}
