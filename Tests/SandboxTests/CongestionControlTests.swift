import LinkTesting
import SystemPackage
import Testing

@testable import Sandbox

@Suite("Congestion control", .tags(.unit))
struct CongestionControlTests {
    @Test(arguments: ["", "Cubic", "bbr;", "../cubic", "a234567890123456"])
    func `what cannot be a name is not one`(text: String) {
        #expect(CongestionControl(text) == nil)
    }

    @Test func `a refusal names what there is, and what to do`() throws {
        let bbr = try #require(CongestionControl("bbr"))
        #expect(
            bbr.explanation(of: .noSuchFileOrDirectory, available: ["reno", "cubic"], allowed: [])
                == "--tcp bbr: this kernel has no such congestion control (have: reno, cubic); if it "
                + "has it as a module, load it with sudo modprobe tcp_bbr")
        #expect(
            bbr.explanation(of: .notPermitted, available: [], allowed: ["reno"])
                == "--tcp bbr: this host keeps it to itself (have: reno); allow it with sudo sysctl "
                + "-w net.ipv4.tcp_allowed_congestion_control='reno bbr'")
        #expect(
            bbr.explanation(of: .notPermitted, available: [], allowed: []).hasSuffix("='... bbr'"))
    }
}
