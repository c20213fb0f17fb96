import Foundation
import LinkTesting
import Testing

/// Programs that know nothing of linkcond see the override in a sandbox.
@Suite(
    "Bus: programs in a sandbox", .requiresNamespaces, .requiresInstalled("dbus-daemon"),
    .tags(.anyKernel))
struct BusSandboxTests {
    @Test(.requiresInstalled(python: "gi"), arguments: Caller.allCases)
    func `GLib is told of metered networks`(caller: Caller) async throws {
        let lines = try await BusFixture.lines(
            of: "networkmonitor.py", ["WiFi", "--dbus"],
            changes: [
                "override set --expensive", "override clear", "override set --constrained",
                "override set --low-data off",
            ], by: caller)
        let expected = ["True", "False", "True", "False"].map {
            "GNetworkMonitorNM True \($0) full network-metered"
        }
        #expect(lines == ["GNetworkMonitorNM True False full"] + expected)
    }

    @Test(.requiresInstalled(python: "gi"))
    func `GLib is told that the link is down, and up again`() async throws {
        // The routes go with the link.
        let up = """
            ip link set eth0 up
            ip route add default via $(ip -o -4 address show eth0 | grep -o '198.18.[0-9]*' | head -1).1
            """
        let lines = try await BusFixture.lines(
            of: "networkmonitor.py", ["WiFi", "--expensive", "--dbus"],
            changes: ["ip link set eth0 down", up], by: .root)
        let signals = "connectivity network-available network-metered"
        #expect(
            lines == [
                "GNetworkMonitorNM True True full",
                "GNetworkMonitorNM False False local \(signals)",
                "GNetworkMonitorNM True True full \(signals)",
            ])
    }

    @Test(.requiresInstalled(python: "gi"), arguments: Caller.allCases)
    func `GLib is told by the portal`(caller: Caller) async throws {
        let lines = try await BusFixture.lines(
            of: "networkmonitor.py", ["WiFi", "--portal"],
            changes: ["override set --expensive", "override clear"], by: caller)
        #expect(
            lines == [
                "GNetworkMonitorPortal True False full",
                "GNetworkMonitorPortal True True full network-metered",
                "GNetworkMonitorPortal True False full network-metered",
            ])
    }

    @Test(.requiresInstalled(python: "PyQt6.QtNetwork"), arguments: Caller.allCases)
    func `Qt is told of metered networks`(caller: Caller) async throws {
        let lines = try await BusFixture.lines(
            of: "networkinformation.py", ["WiFi", "--dbus"],
            changes: ["override set --expensive", "override clear"], by: caller)
        #expect(
            lines == [
                "networkmanager False WiFi", "networkmanager True WiFi",
                "networkmanager False WiFi",
            ])
    }

    @Test(.requiresInstalled(python: "PyQt6.QtNetwork"), arguments: Caller.allCases)
    func `Qt is told of another kind of interface`(caller: Caller) async throws {
        let lines = try await BusFixture.lines(
            of: "networkinformation.py", ["WiFi", "--dbus"],
            changes: [
                "override set --kind cellular", "override set --kind wired", "override clear",
            ], by: caller)
        #expect(
            lines == [
                "networkmanager False WiFi", "networkmanager True Cellular",
                "networkmanager False Ethernet", "networkmanager False WiFi",
            ])
    }

    /// A kind of interface as profile or option name it, as nmcli does, and as Qt does.
    static let kinds = [
        (["WiFi"], "wifi", "WiFi"), (["LTE"], "gsm", "Cellular"), (["DSL"], "ethernet", "Ethernet"),
        (["LTE", "--kind", "wired"], "ethernet", "Ethernet"),
    ]

    @Test(.requiresInstalled("nmcli", python: "PyQt6.QtNetwork"), arguments: kinds)
    func `the kind of interface is seen`(
        options: [String], nmcli: String, medium: String
    ) async throws {
        let output = try await SandboxedRun(
            arguments: options + [
                "--dbus", "--uplink", "none", "--", "nmcli", "-g", "DEVICE,TYPE,STATE,CONNECTION",
                "device",
            ]
        ).output()
        #expect(output == "eth0:\(nmcli):connected:eth0\n")
        let lines = try await BusFixture.lines(
            of: "networkinformation.py", options + ["--dbus"], changes: [], by: .ordinaryUser)
        #expect(lines.first?.hasSuffix(medium) == true, "\(lines)")
    }

    @Test(.requiresInstalled("nmcli"), arguments: Caller.allCases)
    func `nmcli shows what is metered, and the connectivity`(caller: Caller) async throws {
        let script = """
            nmcli -g STATE,CONNECTIVITY general; nmcli networking connectivity check
            nmcli -g GENERAL.METERED device show eth0
            nmcli -g connection.metered connection show eth0
            nmcli device disconnect eth0 && echo 'it let itself be disconnected'
            true
            """
        for (options, metered, profile) in [
            (["WiFi"], "no (guessed)", "unknown"), (["WiFi", "--expensive"], "yes", "yes"),
            (["WiFi", "--constrained"], "yes (guessed)", "unknown"), (["LTE"], "yes", "yes"),
        ] {
            let output = try await SandboxedRun(
                arguments: options + ["--dbus", "--uplink", "none", "--", "sh", "-c", script],
                by: caller
            ).output()
            #expect(output == "connected:full\nfull\n\(metered)\n\(profile)\n", "\(options)")
        }
    }

    @Test(.requiresInstalled("dbus-send"), arguments: Caller.allCases)
    func `clients of libdbus may connect, who name themselves to the bus`(
        caller: Caller
    ) async throws {
        // Qt's are such; in a user namespace they are somebody else than outside.
        let output = try await SandboxedRun(
            "WiFi", "--dbus", "--uplink", "none", "--", "dbus-send", "--system", "--print-reply",
            "--dest=org.freedesktop.NetworkManager", "/org/freedesktop/NetworkManager",
            "org.freedesktop.DBus.Properties.Get", "string:org.freedesktop.NetworkManager",
            "string:Metered", by: caller
        ).output()
        #expect(output.contains("uint32 4"))
    }

    /// Options, and whether they give the command a bus of its own.
    static let choices: [(options: [String], hasBus: Bool)] = [
        (["LTE"], false), (["LTE", "--expensive"], true), (["WiFi", "--constrained"], true),
        (["WiFi", "--dbus"], true), (["WiFi", "--expensive", "--no-dbus"], false),
    ]

    @Test(arguments: choices)
    func `who asks for an override gets a bus, unless they want none`(
        options: [String], hasBus: Bool
    ) async throws {
        let output = try await SandboxedRun(
            arguments: options + [
                "--uplink", "none", "--", "sh", "-c",
                "case $DBUS_SYSTEM_BUS_ADDRESS in *linkcond*) echo own;; *) echo \"the host's\"; esac",
            ]
        ).output()
        #expect(output == (hasBus ? "own\n" : "the host's\n"))
    }
}
