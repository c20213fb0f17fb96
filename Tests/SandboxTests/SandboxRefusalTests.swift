import LinkTesting
import LinuxKernel
import SystemPackage
import Testing

@testable import Sandbox

@Suite("Refusals of a sandbox", .tags(.unit))
struct SandboxRefusalTests {
    private static let all: [Capability] = [.sysAdmin, .netAdmin, .netRaw]

    private static func text(
        _ operation: KernelError.Operation, _ subject: String, _ errno: Errno = .notPermitted,
        root: Bool = true, missing: [Capability] = [], limit: UserNamespaceLimit? = nil
    ) -> String {
        SandboxRefusal(
            of: KernelError(operation, subject: subject, errno: errno),
            privilege: SandboxPrivilege(isRoot: root, missing: missing), limit: limit
        ).asError.description
    }

    @Test func `root is told what root lacks, others are told to use sudo`() {
        let root = Self.text(.write, "/proc/self/uid_map", missing: Self.all)
        #expect(root.contains("CAP_SYS_ADMIN, CAP_NET_ADMIN and CAP_NET_RAW"))
        #expect(root.contains("--cap-add NET_RAW") && !root.contains("sudo"))
        let user = Self.text(.create, "a user namespace", root: false, missing: Self.all)
        #expect(user.hasSuffix("; run it with sudo"))
    }

    @Test func `who does not see all of a container's /proc is told the options`() {
        let user = Self.text(.mount, "/proc", root: false, missing: Self.all)
        #expect(user.contains("systempaths=unconfined") && user.contains("unmask=ALL"))
        #expect(!user.contains("sudo"))
        // Root would not need a user namespace, in which alone that matters.
        let root = Self.text(.mount, "/proc", missing: [.netRaw])
        #expect(root.hasSuffix("a container gets by --cap-add NET_RAW"))
    }

    @Test func `root who has all of it is told who else may forbid it`() {
        let text = Self.text(.mount, "/", .permissionDenied)
        #expect(text.contains("apparmor=unconfined") && text.contains("seccomp=unconfined"))
        let file = Self.text(.open, "/etc/hosts", .permissionDenied)
        #expect(file == "cannot open /etc/hosts: Permission denied")
    }

    @Test(arguments: UserNamespaceLimit.all)
    func `a setting that forbids user namespaces is told where they are refused`(
        limit: UserNamespaceLimit
    ) {
        let refused = Self.text(
            .create, "a user namespace", root: false, missing: Self.all, limit: limit)
        #expect(refused.contains(limit.remedy) && refused.hasSuffix(", or run it with sudo"))
        let file = Self.text(.open, "/etc/hosts", root: false, missing: Self.all, limit: limit)
        #expect(!file.contains(limit.remedy))
    }

    @Test func `a lack of namespaces is not told as a lack of privileges`() {
        let text = Self.text(
            .create, "a network namespace", .noSpace, root: false, missing: Self.all)
        #expect(text.contains("no more namespaces") && !text.contains("with sudo"))
    }
}
