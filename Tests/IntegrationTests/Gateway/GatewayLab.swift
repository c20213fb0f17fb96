import Foundation
import LinkTesting
import Synchronization
import Testing

/// A router with an uplink to a server, and devices behind it: each a network namespace of the
/// test's own. The devices' wires end at a switch, as they would.
///
///     server ── wan0 router lan0 ── switch ── eth0 device 1, 2, 3, …
final class GatewayLab: Sendable {
    let router: TestNamespace
    let server: TestNamespace
    let devices: [TestNamespace]
    private let fabric: TestNamespace
    private let directory: URL
    /// The beginning of the names of its namespaces.
    private let prefix: String

    static let server4 = "198.51.100.1"
    static let server6 = "2001:db8:1::1"
    private static let counter = Atomic<Int>(0)

    /// Makes all of it; the gateway is not running yet.
    init(devices count: Int) throws {
        let number = Self.counter.add(1, ordering: .relaxed).newValue
        prefix = "lcgw-\(ProcessInfo.processInfo.processIdentifier)-\(number)"
        let names = (1...count).map { [prefix] in "\(prefix)-d\($0)" }
        router = try TestNamespace(named: "\(prefix)-r")
        server = try TestNamespace(named: "\(prefix)-s")
        fabric = try TestNamespace(named: "\(prefix)-f")
        devices = try names.map { try TestNamespace(named: $0) }
        directory = FileManager.default.temporaryDirectory.appending(path: prefix)
        try FileManager.default.createDirectory(
            at: directory, withIntermediateDirectories: true)
        // By the shell: what this process has open for writing, others that it starts meanwhile have as
        // well, and as long as they do the kernel does not execute it.
        try shell(
            """
            set -e
            cat >\(path(of: "lease")) <<'END'
            \(Self.lease)
            END
            chmod +x \(path(of: "lease"))
            for name in \(prefix)-r \(prefix)-s \(prefix)-f; do ip -n $name link set lo up; done
            # A namespace may have the number of one that has ended together with its gateway.
            inode=$(stat -L -c %i /run/netns/\(prefix)-r)
            rm -rf /run/linkcond-gateway-$inode /run/linkcond/*$inode* \\
                /run/linkcond-services/*$inode*
            \(Self.connecting(prefix))
            ip -n \(prefix)-f link add br0 type bridge
            ip -n \(prefix)-f link set br0 addrgenmode none up
            ip link add lan0 netns \(prefix)-r type veth peer name port0 netns \(prefix)-f
            ip -n \(prefix)-f link set port0 master br0 addrgenmode none up
            ip -n \(prefix)-r link set lan0 up
            number=0
            for name in \(names.joined(separator: " ")); do
                number=$((number + 1))
                ip -n $name link set lo up
                ip link add eth0 netns $name type veth peer name port$number netns \(prefix)-f
                ip -n \(prefix)-f link set port$number master br0 addrgenmode none up
                ip -n $name link set eth0 \\
                    address 02:00:00:00:00:$(printf %02x $number) up
            done
            # Link-local addresses come after a while, and everything is compared with them.
            for round in $(seq 200); do
                case $(ip -n \(prefix)-r -6 address show dev lan0 scope link) in
                '' | *tentative*) ;;
                *) exit 0 ;;
                esac
                sleep 0.05
            done
            exit 1
            """)
    }

    /// What connects the router to the server.
    private static func connecting(_ prefix: String) -> String {
        """
        ip link add wan0 netns \(prefix)-r type veth peer name eth0 netns \(prefix)-s
        ip -n \(prefix)-r address add 198.51.100.2/24 dev wan0
        ip -n \(prefix)-r address add 2001:db8:1::2/64 dev wan0 nodad
        ip -n \(prefix)-r link set wan0 up
        ip -n \(prefix)-s address add \(server4)/24 dev eth0
        ip -n \(prefix)-s address add \(server6)/64 dev eth0 nodad
        ip -n \(prefix)-s link set eth0 up
        ip -n \(prefix)-r route add default via \(server4)
        ip -n \(prefix)-r -6 route add default via \(server6)
        """
    }

    /// Connects the router to the server again, after its uplink has been deleted.
    func connect() throws { try shell("set -e\n" + Self.connecting(prefix)) }

    deinit { try? FileManager.default.removeItem(at: directory) }

    private func path(of name: String) -> String { directory.appending(path: name).path }

    /// Writes a file beside those of the lab, and returns its path.
    @discardableResult
    func write(_ text: String, to name: String) throws -> String {
        try text.write(toFile: path(of: name), atomically: true, encoding: .utf8)
        return path(of: name)
    }

    /// What udhcpc does with a lease.
    private static let lease = """
        #!/bin/sh
        case $1 in
        bound | renew)
            ip -4 address flush dev $interface
            ip address add $ip/$mask dev $interface
            ip route replace default via $router
            echo "$ip $dns $opt43"
            ;;
        esac

        """

    // MARK: The gateway

    var log: String {
        (try? String(contentsOfFile: path(of: "log"), encoding: .utf8)) ?? ""
    }

    /// Starts a gateway and waits until it serves; returns its process ID.
    @discardableResult
    func start(_ options: String = "") throws -> Int32 {
        let log = path(of: "log")
        let text = try router.shell(
            """
            : >\(log) # The gateway before may have written one.
            \(try TestNetwork.program()) gateway -i lan0 --uplink wan0 --dns 192.0.2.53 \\
                \(options) >\(log) 2>&1 </dev/null &
            process=$!
            for round in $(seq 600); do
                grep -q 'gateway at' \(log) && { echo $process; exit; }
                kill -0 $process || { cat \(log); exit 1; }
                sleep 0.05
            done
            cat \(log)
            exit 1
            """)
        return try #require(Int32(text.split(whereSeparator: \.isNewline).last ?? ""))
    }

    /// Ends a process of the router by a signal, and waits for its end.
    func end(_ process: Int32, by signal: Int32 = SIGTERM) async throws {
        kill(process, signal)
        try await eventually("process \(process) ends") { kill(process, 0) != 0 }
    }

    /// Kills all processes of the router, none of which sees the end of another.
    func killAll() throws {
        try router.shell(
            """
            processes=$(ip netns pids $(ip netns identify) | grep -v -x $$)
            kill -STOP $processes 2>/dev/null
            kill -KILL $processes 2>/dev/null
            for process in $processes; do
                while kill -0 $process 2>/dev/null; do sleep 0.05; done
            done
            """)
    }

    /// Runs linkcond on the router.
    func linkcond(_ arguments: String) throws -> String {
        try router.shell("exec \(try TestNetwork.program()) \(arguments)")
    }

    /// What the router is like, without what moves by itself.
    func state() throws -> String {
        // `ip` complains of namespaces that others are just making: it looks for the peers in all.
        try router.shell(
            """
            ip -details address show 2>/dev/null | sed 's/ numtxqueues.*//'
            ip route show table all | sort
            ip -6 route show table all | grep -v expires | sort
            nft list ruleset
            tc qdisc show
            grep -r . /proc/sys/net/ipv4/conf/*/forwarding /proc/sys/net/ipv6/conf/*/forwarding \\
                /proc/sys/net/ipv6/conf/*/force_forwarding /proc/sys/net/ipv6/conf/*/accept_ra \\
                /proc/sys/net/ipv4/ip_forward 2>/dev/null | sort
            inode=$(stat -L -c %i /proc/self/ns/net)
            ls -d /run/linkcond-gateway-$inode /run/linkcond/*$inode* \\
                /run/linkcond-services/*$inode* 2>/dev/null || true
            """)
    }

    /// The kernel's parameters in such a state.
    static func parameters(in state: String) -> [Substring] {
        state.split(separator: "\n").filter { $0.hasPrefix("/proc/sys") }
    }

    /// The state once both interfaces have given themselves an address, which the kernel does when it
    /// sees a carrier, and nobody else has it, for which the kernel asks around.
    func settledState() async throws -> String {
        try await eventually("addresses settle") {
            let addresses = try router.shell("ip -6 -o address show scope link")
                .split(separator: "\n")
            return addresses.count == 2 && !addresses.contains { $0.contains("tentative") }
        }
        return try state()
    }

    /// The lines of the host's state that are there now and were not, or the other way round.
    func changes(since before: String) throws -> [String] {
        let lines = [before, try state()].map { Set($0.split(separator: "\n").map(String.init)) }
        return lines[0].symmetricDifference(lines[1]).sorted()
    }

    // MARK: Devices

    /// Has a device ask for an address under a name; returns what it got.
    @discardableResult
    func join(_ number: Int, _ options: String = "") throws -> String {
        let text = try shell("exec \(joining(number, options))")
        return text.split(separator: "\n").last.map(String.init) ?? ""
    }

    /// The command that does so, in whatever network it is run.
    func joining(_ number: Int, _ options: String = "") -> String {
        "\(devices[number - 1].entering) busybox udhcpc -i eth0 -n -q -f -t 10 -T 1 "
            + "-s \(path(of: "lease")) -x hostname:device\(number) -O 43 \(options)"
    }

    /// The round-trip times of echo requests of a device, in milliseconds.
    func pings(
        _ number: Int, to address: String = server4, count: Int = 5, within seconds: Int = 10
    ) throws -> [Double] {
        // A device needs a moment for its address of IPv6.
        let text = try devices[number - 1].shell(
            "ping -n -c \(count) -i 0.2 -W \(seconds) \(address) || true")
        return text.split(separator: "\n").compactMap { line in
            line.split(separator: "time=").dropFirst().first
                .flatMap { Double($0.prefix { $0 != " " }) }
        }
    }

    /// The median of those times, and a failed expectation if there are none.
    func roundTrip(_ number: Int, to address: String = server4, count: Int = 5) throws -> Double {
        let times = try pings(number, to: address, count: count).sorted()
        return times.isEmpty ? .infinity : times[times.count / 2]
    }
}

/// Waits until `condition` holds.
func eventually(
    _ what: String, _ condition: () throws -> Bool,
    sourceLocation: SourceLocation = #_sourceLocation
) async throws {
    for _ in 0..<600 {
        if try condition() { return }
        try await Task.sleep(for: .milliseconds(50))
    }
    Issue.record("never: \(what)", sourceLocation: sourceLocation)
}
