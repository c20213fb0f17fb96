import Foundation
import KernelPlane
import LinkTesting
import Testing

/// Super-packets (GSO) are cut before anything is decided about them.
@Suite("Segmenter", .serialized, .requiresKernel(.netem))
struct SegmenterTests {
    @Test("Loss takes single packets though the sender hands over 64 KB at a time")
    func losesSinglePackets() async throws {
        try await TestNetwork.with { network in
            let features = try await runProcess(
                "ip", ["netns", "exec", network.server, "ethtool", "-k", "eth0"])
            #expect(features.standardOutput.contains("tcp-segmentation-offload: on"))
            try await network.mustRun(
                "apply", "baseline.yaml".absoluteFixture, "--set", "down.loss=0.5%", "--set",
                "up.loss=0.5%")
            async let download = network.goodput(down: true)
            async let upload = network.goodput(down: false)
            _ = try await (download, upload)
            for way in try await network.status().conditioned.flatMap({ [$0.down, $0.up] }) {
                let counters = try #require(way).counters
                let sent = Double(counters.packets + counters.lost)
                #expect(Double(counters.bytes) / Double(counters.packets) <= 1500)
                // Were super-packets lost whole, the share would be right of far fewer losses.
                let deviation = (sent * 0.005 * 0.995).squareRoot()
                #expect(abs(Double(counters.lost) - sent * 0.005) < 5 * deviation, "\(counters)")
                #expect(counters.dropped == 0)
            }
        }
    }
}
