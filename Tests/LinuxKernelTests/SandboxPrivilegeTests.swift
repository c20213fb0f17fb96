import LinkTesting
import SystemPackage
import Testing

@testable import LinuxKernel

@Suite("Privileges of a sandbox", .tags(.unit))
struct SandboxPrivilegeTests {
    private static func privilege(of isRoot: Bool = true, _ numbers: Int...) -> SandboxPrivilege {
        SandboxPrivilege(isRoot: isRoot, capabilities: numbers.reduce(0) { $0 | 1 << UInt64($1) })
    }

    @Test func `a sandbox takes three capabilities, which the kernel numbers 12, 13 and 21`() {
        #expect(Self.privilege(12, 13, 21).isComplete)
        #expect(Self.privilege(13, 21).missing == [.netAdmin])
        #expect(Self.privilege(12, 21).missing == [.netRaw])
        #expect(Self.privilege(12, 13).missing == [.sysAdmin])
    }

    @Test func `root is told what is missing, and how a container gets it`() {
        #expect(
            Self.privilege(13, 21).hint
                == "; root lacks CAP_NET_ADMIN here, which a container gets by --cap-add NET_ADMIN")
        #expect(Self.privilege(13).hint.contains("CAP_SYS_ADMIN and CAP_NET_ADMIN"))
        #expect(Self.privilege(12, 13, 21).hint.isEmpty)
    }

    @Test func `others are told to use sudo`() {
        #expect(Self.privilege(of: false).hint == "; run it with sudo")
    }
}

@Suite("Limits of namespaces", .tags(.unit))
struct NamespaceLimitTests {
    private static func setting(_ values: [String: String]) -> NamespaceLimit.Setting? {
        NamespaceLimit.setting { values[$0] }
    }

    @Test func `the setting that leaves next to none is told`() {
        let values = [
            "user.max_user_namespaces": "15000\n", "user.max_net_namespaces": "0\n",
            "user.max_pid_namespaces": "2\n",
        ]
        let setting = Self.setting(values)
        #expect(setting?.text == "user.max_net_namespaces is 0")
        #expect(
            NamespaceLimit.hint(setting).hasSuffix("sudo sysctl -w user.max_net_namespaces=15000"))
    }

    @Test func `where no setting forbids them, a sandbox around may`() {
        #expect(Self.setting(["user.max_net_namespaces": "15000\n"]) == nil)
        #expect(Self.setting([:]) == nil)
        #expect(NamespaceLimit.hint(nil).contains("Flatpak"))
    }

    @Test func `no space for a namespace is not a full disk`() {
        let error = KernelError(.create, subject: "a user namespace", errno: .noSpace)
        #expect(error.limitHint.contains("namespaces"))
        #expect(KernelError(.create, subject: "/run/a", errno: .noSpace).limitHint.isEmpty)
    }
}
