import Foundation
import KernelPlane
import LinkTesting
import Testing

/// The panel over the kernel's data plane, and while the clock is set, in headless Chromium.
@Suite(
    "The panel over the kernel's data plane", .requiresKernel(.netem),
    .enabled(
        if: ProcessInfo.processInfo.environment["LINKCOND_KERNEL_LAB"] != nil,
        "it sets the clock, and so needs a kernel of its own"))
struct PanelKernelTests {
    /// What `panel_kernel.py` found.
    private struct Findings: Decodable {
        var idle: [String]
        var busy: [String]
        var countdowns: [String]
    }

    @Test(.enabled(if: hasPrograms("chromium"), "chromium is not installed"))
    func `it says what is not measured, and how long is left however the clock is set`()
        async throws
    {
        let found = try await PanelScript.run("panel_kernel.py", Findings.self, isRoot: true)
        #expect(
            found.idle == [
                "not measured, promised 65 ms + queue", "not told by the kernel",
            ])
        // By Little's law.
        #expect(found.busy.first?.hasPrefix("not measured; mean ") == true, "\(found.busy)")
        #expect(found.busy.last == "not told by the kernel")
        #expect(found.countdowns == ["right", "right", "right"])
    }
}
