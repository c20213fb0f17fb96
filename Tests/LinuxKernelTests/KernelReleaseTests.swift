import LinkTesting
import Testing

@testable import LinuxKernel

@Suite("Kernel releases", .tags(.unit)) struct KernelReleaseTests {
    @Test func `A release is older or newer than another`() {
        #expect(KernelRelease("6.1.0-30-amd64") < KernelRelease(6, 2))
        #expect(KernelRelease("5.15.153.1-microsoft-standard-WSL2") < KernelRelease(6, 2))
        #expect(KernelRelease("6.18.5") > KernelRelease(6, 2))
        #expect(KernelRelease("7.0-rc1") > KernelRelease("6.99"))
        #expect(KernelRelease("unknown") == KernelRelease(0, 0))
        #expect(KernelRelease.running > KernelRelease(3, 0))
    }
}
