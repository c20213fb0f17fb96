import Foundation
import LinkTesting
import LinuxKernel
import SystemPackage
import Testing

@testable import Uplink

@Suite("Lifetime of uplinks", .requiresNamespaces, .requiresHelpers, .serialized, .tags(.contrary))
struct UplinkLifetimeTests {
    /// The processes run as another user, for whom a private mount namespace has a tun device.
    @Test(arguments: ["relay", "pasta", "slirp4netns"])
    func `A user's sandbox reaches the host, and SIGKILL leaves nothing`(
        _ uplink: String
    ) async throws {
        try await play(
            uplink,
            as: """
                mount -t tmpfs tmpfs /mnt
                mknod -m 666 /mnt/tun c 10 200
                mount --bind /mnt/tun /dev/net/tun
                umount -l /mnt
                exec setpriv --reuid 65534 --regid 65534 --clear-groups env HOME=/
                """)
    }

    @Test(arguments: ["relay", "slirp4netns", "veth"])
    func `Root's sandbox reaches the host, and SIGKILL leaves nothing`(
        _ uplink: String
    ) async throws {
        try await play(uplink, as: "exec")
    }

    /// What carries an uplink beside the relay: pasta executes passt, of a build for the processor.
    private static let helpers = ["pasta": "passt", "slirp4netns": "slirp4netns", "veth": "nft"]

    /// Runs both processes of a sandbox by a script that ends with a prefix of the command.
    private func play(_ uplink: String, as script: String) async throws {
        let tests = try BuiltProduct.path(of: "linkcondPackageTests.xctest")
        let peers = "\(BuiltProduct.packageDirectory)/Tests/UplinkTests/Fixtures/peers.py"
        try await withTemporaryDirectory { directory in
            let path = directory.path
            try await withNewNamespace {
                try shell("ip link set lo up; ip address add 192.0.2.1/32 dev lo")
                let outside = try TestSandbox.connectOutside()
                defer { withExtendedLifetime(outside) {} }
                try TestSandbox.withServer(
                    "python3 -m http.server --bind :: 8000", port: 8000
                ) { _ in
                    let log = try shell(
                        """
                        export LINKCOND_TEST_STATE=\(path)
                        timeout -k 1 60 unshare -m sh -e <<'END'
                        \(script) /usr/bin/python3 \(peers) sandbox \(tests) \(uplink)
                        END
                        """)
                    #expect(log.contains("page 200\n"), "\(log)")
                    #expect(log.contains("ping 0\n"), "\(log)")
                    let helper = Self.helpers[uplink].map { " linkcond guard \($0)" } ?? ""
                    #expect(log.contains("helped by:\(helper)"), "\(log)")
                    #expect(log.hasSuffix("left: \n"), "\(log)")
                    // The kernel takes down a namespace that nobody uses in its own time.
                    let left = try shell(
                        """
                        for attempt in $(seq 100); do
                            ip -br link | grep -q lcwire || break
                            sleep 0.05
                        done
                        nft list tables; ip -br link | grep lcwire || true
                        """)
                    #expect(left == "")
                    #expect(
                        try KernelParameter("net/ipv4/conf/out0/forwarding").read() == "0")
                }
            }
        }
    }
}

/// The two processes of a sandbox, each of which is this test bundle once more.
@Suite(
    "Roles of the lifetime of uplinks", .tags(.program),
    .enabled(if: Role.current != nil, "is for UplinkLifetimeTests"))
struct UplinkRoles {
    @Test func `One of the two processes`() throws {
        let role = try #require(Role.current)
        switch role.name {
        case "far": try NetworkOfFarSide.play(role)
        default: try play(host: role)
        }
    }

    /// Stays in the host's namespaces until the far side ends, or this is killed.
    private func play(host role: Role) throws {
        let sockets = try RelaySockets.receive(from: role.socket)
        let relay = try Relay(sockets, network: TestSandbox.network, scope: role.scope)
        let helper = try role.helper.map { kind in
            try HelperUplink.start(
                kind, networkNamespace: "/proc/\(role.farProcess)/ns/net",
                userNamespace: getuid() == 0 ? nil : "/proc/\(role.farProcess)/ns/user")
        }
        let wire = try role.stateDirectory.map { directory in
            try VethUplink.start(
                farNamespace: "/proc/\(role.farProcess)/ns/net",
                stateDirectory: try StateDirectory(firstOf: [directory]))
        }
        try role.socket.writeAll([1])
        // Long enough to be killed.
        sleep(60)
        helper?.stop()
        wire?.stop()
        relay.stop()
    }
}

/// Which of the processes this is.
private struct Role {
    let name: String
    let socket: FileDescriptor
    let helper: HelperUplink.Kind?
    let farProcess: String
    /// Where the veth uplink keeps its state, if that is it.
    let stateDirectory: String?

    var scope: RelayScope {
        stateDirectory != nil ? .besideRoutedIPv4 : helper == nil ? .everything : .transport
    }

    static var current: Role? {
        let variables = ProcessInfo.processInfo.environment
        guard let name = variables["LINKCOND_TEST_ROLE"],
            let socket = variables["LINKCOND_TEST_SOCKET"].flatMap(Int32.init)
        else { return nil }
        return Role(
            name: name, socket: FileDescriptor(rawValue: socket),
            helper: variables["LINKCOND_TEST_UPLINK"].flatMap(HelperUplink.Kind.init),
            farProcess: variables["LINKCOND_TEST_FAR"] ?? "",
            stateDirectory: variables["LINKCOND_TEST_UPLINK"] == "veth"
                ? variables["LINKCOND_TEST_STATE"] : nil)
    }
}

/// The process with privileges over the far side's namespace, in which it already is.
private enum NetworkOfFarSide {
    static func play(_ role: Role) throws {
        TestParameters.set()
        let app = try TestNamespace()
        try TestSandbox.joinApp(app)
        let sockets = try RelaySockets.open(TestSandbox.network, scope: role.scope)
        if role.helper != nil { try HelperUplink.prepareFarSide(TestSandbox.network) }
        try sockets.send(over: role.socket)
        var byte: [UInt8] = [0]
        guard try unsafe byte.withUnsafeMutableBytes({ try unsafe role.socket.read(into: $0) }) == 1
        else { return }
        print(
            try app.shell(
                """
                curl -sS -m 30 -o /dev/null -w 'page %{http_code}\\n' 'http://[fd00:6c63::1]:8000/'
                ping -c 1 -W 20 -q 192.0.2.1; echo ping $?
                """))
    }
}
