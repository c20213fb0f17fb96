import LinkModel
import LinkTesting
import LinkUnits
import LinuxKernel
import Netlink
import SystemPackage
import Testing

@testable import KernelPlane

@Suite("Errors of the kernel plane", .tags(.unit))
struct KernelPlaneErrorTests {
    private static var all: [KernelPlaneError] {
        let netlink = NetlinkError(
            attempt: "run what is equivalent to `tc qdisc add dev eth0 clsact`",
            errno: .fileExists, kernelText: "Exclusivity flag on, cannot modify")
        return [
            .interfaceDown("eth0"), .ownInterface("lcu5"), .indexTooLarge("eth0"),
            .alreadyConditioned("eth0", name: "default", profile: "Very Bad Network"),
            .alreadyConditioned("eth0", name: "api", profile: "3G"),
            .unreadableSelector("eth0", name: "api"), .tooManyConditions("eth0"),
            .foreignFilters("eth0", .down, kinds: ["pref 1 flower", "pref 49152 bpf"]),
            .ingressQdisc("eth0"), .missingPrivilege("conditioning an interface"),
            .missingFeatures([.netem]), .missingFeatures([.netem, .ifb, .mirred]),
            .unsupported(UnsupportedConditions("delivery traces", "no qdisc plays a trace")),
            .refused(interface: "eth0", netlink, isUndone: true),
            .refused(interface: "eth0", netlink, isUndone: false), .vanished("eth0"),
            .kernel(KernelError(.create, subject: "/run/linkcond", errno: .readOnlyFileSystem)),
            .kernel(KernelError(.lock, subject: "/run/linkcond/lock", errno: .interrupted)),
            .netlink(NetlinkError(attempt: "list the interfaces", errno: .noMemory)),
        ]
    }

    @Test("Each is one sentence that says what failed, why, and the way out")
    func texts() throws {
        try Golden("errors.txt").expect(Self.all.map { "\($0)\n" }.joined())
    }

    @Test("None ends with a full stop or spans lines, since the program's name comes first")
    func form() {
        for error in Self.all {
            #expect(!error.description.contains("\n"))
            #expect(error.description.last != ".")
            #expect(error.description.first?.isWhitespace == false)
        }
    }
}
