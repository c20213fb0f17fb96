import DataPlane
import Foundation
import LinkTesting
import LinuxKernel
import Netlink
import Testing

@testable import KernelPlane
@testable import Doctor

@Suite("Kernel features", .requiresNamespaces)
struct FeatureKernelTests {
    private static func withDirectory(_ body: (StateDirectory) throws -> Void) throws {
        let path = FileManager.default.temporaryDirectory
            .appending(path: "linkcond-test-\(UUID().uuidString)").path
        defer { try? FileManager.default.removeItem(atPath: path) }
        try body(StateDirectory(firstOf: [path]))
    }

    private static var plans: [InterfacePlan] {
        get throws {
            try SampleConditions.all.map { name, conditions in
                try ApplyRequest(conditions: conditions, profile: name, now: 1)
                    .examplePlan(interface: "eth0")
            }
        }
    }

    @Test("A kernel that can carry out every kind of conditions says so", .requiresConditioning)
    func complete() throws {
        let answers = try FeatureProbe.run()
        #expect(answers.count == KernelFeature.allCases.count)
        #expect(answers.values.allSatisfy { $0 == .present })
        #expect(
            Diagnosis.make(
                answers: answers, mayChangeNetwork: true, host: HostSystem.current(),
                sandbox: SandboxFindings.current()
            ).servesKernelPlane)
    }

    @Test("Asking leaves nothing behind in the namespace of who asks")
    func traceless() async throws {
        try await withNewNamespace {
            let session = try NetlinkSession()
            let before = try KernelPicture(session)
            _ = try FeatureProbe.run()
            #expect(before.difference(to: try KernelPicture(session)) == "")
        }
    }

    @Test(
        "Asking puts no warning into the kernel's log",
        // Elsewhere others may write there meanwhile.
        .enabled(if: ProcessInfo.processInfo.environment["LINKCOND_KERNEL_LAB"] == "1"))
    func silence() throws {
        let warnings = "dmesg | grep 'is lower than device' || true"
        let before = try shell(warnings)
        _ = try FeatureProbe.run()
        #expect(try shell(warnings) == before)
    }

    @Test("What the kernel lacks is said before anything is tried, and what it has is kept")
    func check() throws {
        let answers = try FeatureProbe.run()
        let plans = try Self.plans
        try Self.withDirectory { directory in
            for plan in plans {
                let needed = Set(plan.operations.compactMap(\.feature))
                let missing = KernelFeature.allCases.filter {
                    needed.contains($0) && answers[$0] == .missing
                }
                #expect(KernelFeatureCache(directory).missing(needed) == missing)
            }
            let kept = String(
                decoding: try #require(directory.read("kernel-features")), as: UTF8.self)
            #expect(
                kept.split(separator: "\n").map(String.init)
                    == answers.filter { $0.value == .present }.map(\.key.rawValue).sorted())
        }
    }
}
