import LinkModel
import LinkTesting
import LinuxKernel
import Netlink
import NetworkPath
import Synchronization
import Testing

@testable import Override

/// Overrides of real interfaces, each test in a namespace of its own.
@Suite("Overrides", .requiresNamespaces)
struct OverrideKernelTests {
    /// `wifi0` has the default routes with the better metrics, `cell0` those with the worse.
    private static let interfaces =
        TestNamespace.phoneScript + """
            ip address add fd01::2/64 dev cell0 nodad
            ip route add default via 192.0.2.1 dev wifi0
            ip route add default via fd00::1 dev wifi0
            ip route add default via fd01::1 dev cell0 metric 2000

            """

    private static func state() throws -> String {
        // `ip` complains of namespaces that others are just making: it looks for the peers in all.
        try shell("ip route; ip -6 route; cat /sys/class/net/*/ifalias 2>/dev/null || true")
            + shell("ip -d link show 2>/dev/null").replacing(/link-netns\S+ \S+/, with: "")
    }

    private static func aliases() throws -> [String: String] {
        let links = try NetlinkSession().links().map { ($0.name, $0.alias) }
        return Dictionary(uniqueKeysWithValues: links).filter { !$0.value.isEmpty }
    }

    private static func isExpensive() throws -> Bool { try NetworkPath.current().isExpensive }

    private static func used() throws -> [String] {
        try NetworkPath.current().interfacesInUse.map(\.name)
    }

    @Test func `what is set is seen, and what others wrote stays`() async throws {
        try await withNewNamespace {
            try shell(Self.interfaces + "ip link set wifi0 alias 'rack  7'")
            let before = try Self.state()
            // For no name the one that apps send by.
            let outcome = try NetworkOverride.set(InterfaceOverride(cost: .expensive), on: [])
            #expect(outcome == ["wifi0"])
            #expect(try Self.isExpensive())
            _ = try NetworkOverride.set(InterfaceOverride(lowData: .on), on: ["wifi0", "cell0"])
            #expect(
                try Self.aliases()
                    == ["wifi0": "rack  7 [linkcond:1 exp con]", "cell0": "[linkcond:1 con]"])
            let shown = try NetworkOverride.show()
            #expect(shown.map(\.name) == ["wifi0", "cell0"])
            #expect(shown.map(\.isExpensive) == [true, false])
            #expect(shown.map(\.isConstrained) == [true, true])
            let cleared = try NetworkOverride.clear(nil)
            #expect(Set(cleared) == ["wifi0", "cell0"])
            #expect(try Self.state() == before)
            #expect(try NetworkOverride.clear(["wifi0"]) == [])
        }
    }

    @Test func `it follows a rename, and vanishes with its interface`() async throws {
        try await withNewNamespace {
            try shell("ip link add old0 type veth peer name old1")
            _ = try NetworkOverride.set(InterfaceOverride(cost: .expensive), on: ["old0"])
            try shell("ip link set old0 name new0")
            let renamed = try NetworkOverride.show()
            #expect(renamed.map(\.name) == ["new0"])
            try shell("ip link del new0; ip link add new0 type veth peer name new1")
            #expect(try NetworkOverride.show().isEmpty)
        }
    }

    @Test func `what is equal already is not written again`() async throws {
        try await withNewNamespace {
            try shell(Self.interfaces)
            _ = try NetworkOverride.set(InterfaceOverride(cost: .expensive), on: ["wifi0"])
            let events = try NetlinkEvents([.links])
            _ = try NetworkOverride.set(InterfaceOverride(cost: .expensive), on: ["wifi0"])
            #expect(try events.next(within: .zero).isEmpty)
        }
    }

    @Test func `all of several interfaces are changed, or none`() async throws {
        try await withNewNamespace {
            let full = String(repeating: "x", count: 245)
            try shell(Self.interfaces + "ip link set cell0 alias \(full)")
            let before = try Self.state()
            let change = InterfaceOverride(cost: .expensive)
            #expect(throws: OverrideError.aliasFull("cell0", foreignBytes: 245)) {
                try NetworkOverride.set(change, on: ["wifi0", "cell0"])
            }
            let known = ["lo", "wifi1", "wifi0", "cell1", "cell0"]
            #expect(throws: OverrideError.noSuchInterface("wlan9", known: known)) {
                try NetworkOverride.set(change, on: ["wifi0", "wlan9"])
            }
            #expect(throws: OverrideError.noSuchInterface("wlan9", known: known)) {
                try NetworkOverride.clear(["wlan9"])
            }
            let preferred = InterfaceOverride(isPreferred: true)
            #expect(throws: OverrideError.severalPreferred(["wifi0", "cell0"])) {
                try NetworkOverride.set(preferred, on: ["wifi0", "cell0"])
            }
            #expect(throws: OverrideError.nothingToPrefer("wifi1")) {
                try NetworkOverride.set(preferred, on: ["wifi1"])
            }
            #expect(try Self.state() == before)
            try shell("ip link add lcu9 group 7181 type ifb")
            #expect(throws: OverrideError.ownInterface("lcu9")) {
                try NetworkOverride.set(change, on: ["lcu9"])
            }
            try shell("ip route flush table main; ip -6 route flush table main")
            #expect(throws: OverrideError.noDefaultRoute) {
                try NetworkOverride.set(change, on: [])
            }
        }
    }

    @Test func `a preferred interface goes first, and no foreign route changes`() async throws {
        try await withNewNamespace {
            try shell(Self.interfaces)
            let before = try Self.state()
            #expect(try Self.used() == ["wifi0"])
            _ = try NetworkOverride.set(InterfaceOverride(isPreferred: true), on: ["cell0"])
            #expect(try Self.used() == ["cell0"])
            let lookup = try shell("ip route get 203.0.113.1; ip route get 2001:db8::1")
            #expect(lookup.ranges(of: "dev cell0").count == 2, "\(lookup)")
            // Again is the same, and another takes over.
            _ = try NetworkOverride.set(InterfaceOverride(isPreferred: true), on: ["cell0"])
            let own = try shell("ip route show proto 108; ip -6 route show proto 108")
            #expect(own.split(separator: "\n").count == 2, "\(own)")
            _ = try NetworkOverride.set(InterfaceOverride(isPreferred: true), on: ["wifi0"])
            #expect(try Self.used() == ["wifi0"])
            #expect(try Self.aliases() == ["wifi0": "[linkcond:1 pref]"])
            _ = try NetworkOverride.set(
                InterfaceOverride(cost: .expensive, isPreferred: true), on: ["cell0"])
            #expect(try Self.used() == ["cell0"])
            _ = try NetworkOverride.set(InterfaceOverride(isPreferred: false), on: ["cell0"])
            #expect(try Self.aliases() == ["cell0": "[linkcond:1 exp]"])
            _ = try NetworkOverride.set(InterfaceOverride(isPreferred: true), on: ["cell0"])
            _ = try NetworkOverride.clear(nil)
            #expect(try Self.state() == before)
        }
    }

    @Test func `interfaces without gateways can be preferred as well`() async throws {
        try await withNewNamespace {
            try shell(
                Self.interfaces + """
                    ip route del default dev cell0; ip -6 route del default dev cell0
                    ip route add default dev cell0 metric 50; ip route add default dev wifi0 metric 5
                    """)
            let before = try Self.state()
            _ = try NetworkOverride.set(InterfaceOverride(isPreferred: true), on: ["cell0"])
            #expect(try Self.used() == ["cell0", "wifi0"])
            #expect(try shell("ip route get 203.0.113.1").contains("dev cell0"))
            _ = try NetworkOverride.clear(nil)
            #expect(try Self.state() == before)
        }
    }

    @Test func `a watcher ends what it was started for, and nothing that was set later`()
        async throws
    {
        try await withNewNamespace {
            try shell(Self.interfaces)
            _ = try NetworkOverride.set(
                InterfaceOverride(cost: .expensive), ends: 9, watcher: "first",
                on: ["wifi0", "cell0"])
            _ = try NetworkOverride.set(
                InterfaceOverride(lowData: .on), ends: 99, watcher: "second", on: ["wifi0"])
            #expect(try NetworkOverride.interfaces(endedBy: "first").count == 1)
            #expect(try NetworkOverride.clear(endedBy: "first") == ["cell0"])
            #expect(
                try Self.aliases() == ["wifi0": "[linkcond:1 exp con ends=99 watch=second]"])
            #expect(try NetworkOverride.interfaces(endedBy: "first").isEmpty)
            _ = try NetworkOverride.set(InterfaceOverride(cost: .default), on: ["wifi0"])
            #expect(try NetworkOverride.interfaces(endedBy: "second").isEmpty)
            #expect(try NetworkOverride.clear(endedBy: "second") == [])
            #expect(try Self.aliases() == ["wifi0": "[linkcond:1 con]"])
        }
    }

    @Test func `of many who write at once nobody undoes what another did`() async throws {
        try await withNewNamespace {
            try shell(Self.interfaces)
            let changes = [
                InterfaceOverride(cost: .expensive), InterfaceOverride(lowData: .on),
                InterfaceOverride(kind: .cellular),
            ]
            for _ in 0..<20 {
                let failures = Mutex<[String]>([])
                let threads = try changes.map { change in
                    try KernelThread(named: "override") {
                        do {
                            _ = try NetworkOverride.set(change, on: ["wifi0"])
                        } catch {
                            failures.withLock { $0.append("\(error)") }
                        }
                    }
                }
                for thread in threads { thread.join() }
                #expect(failures.withLock { $0 } == [])
                #expect(try Self.aliases() == ["wifi0": "[linkcond:1 exp con cell]"])
                _ = try NetworkOverride.clear(nil)
            }
        }
    }

    @Test(.enabled(if: hasPrograms("flock", "setpriv"), "flock or setpriv is not installed"))
    func `another user's lock does not stand in the way`() async throws {
        try await withNewNamespace {
            try shell("ip link add wifi0 type veth peer name wifi1")
            // Whatever of this namespace has a file that anybody can open.
            let holders = try shell(
                """
                for file in /proc/$$/ns/net /proc/thread-self/ns/net; do
                    setpriv --reuid 65534 --clear-groups flock -x $file sleep 60 >/dev/null 2>&1 &
                    echo $!
                done
                until [ $(grep -c FLOCK /proc/locks) -gt 0 ]; do sleep 0.01; done
                """)
            _ = try NetworkOverride.set(InterfaceOverride(cost: .expensive), on: ["wifi0"])
            _ = try NetworkOverride.clear(["wifi0"])
            // The one that could take its lock has it still: nobody has waited for its end.
            try shell(holders.split(separator: "\n").map { "kill \($0)" }.joined(separator: " || "))
        }
    }

    @Test func `errors name the cause and the way out`() {
        let errors: [(OverrideError, String)] = [
            (.noDefaultRoute, "no interface carries a default route; name one with -i"),
            (
                .noSuchInterface("wlan9", known: ["eth0", "lo"]),
                "wlan9: no such interface (have: eth0, lo)"
            ),
            (
                .missingPrivilege("setting an override"),
                "setting an override needs the privilege CAP_NET_ADMIN; run it with sudo"
            ),
        ]
        for (error, text) in errors { #expect(error.description == text) }
    }
}
