import LinkTesting
import Testing

/// The interfaces that a user may name.
@Suite("Interfaces by name", .serialized, .requiresDataPlane, .tags(.anyKernel))
struct InterfaceNameTests {
    /// udev gives such names, which are often longer than the kernel's own can be.
    @Test func `an alternative name is as good as the name`() async throws {
        try await TestNetwork.with { network in
            let before = try await network.state()
            let result = try await network.run(
                "bash",
                [
                    "-ec",
                    """
                    ip link property add dev eth0 altname enp0s20f0u3u1c2i0
                    "$0" apply LTE -i enp0s20f0u3u1c2i0
                    "$0" clear -i enp0s20f0u3u1c2i0
                    "$0" override set -i enp0s20f0u3u1c2i0 --expensive
                    "$0" override clear -i enp0s20f0u3u1c2i0
                    "$0" play elevator -i enp0s20f0u3u1c2i0 & play=$!
                    until "$0" status | grep -q eth0; do kill -0 $play; sleep 0.05; done
                    kill -INT $play
                    wait $play || true
                    ip link property del dev eth0 altname enp0s20f0u3u1c2i0
                    """, try TestNetwork.program(),
                ])
            #expect(result.exitCode == 0, "\(result)")
            #expect(result.standardError.contains("\neth0: cleared\n"), "\(result)")
            #expect(!result.standardError.contains("was not conditioned"), "\(result)")
            try await network.expectUnchanged(since: before)
        }
    }

    /// Such an interface drops what is sent by it and was not redirected to it.
    @Test func `an interface for redirected packets is refused`() async throws {
        try await TestNetwork.with { network in
            let result = try await network.run(
                "bash",
                [
                    "-c",
                    """
                    ip link add ifb7 type ifb && ip link set ifb7 up || exit 1
                    "$0" apply LTE -i ifb7
                    echo "apply: $?"
                    "$0" apply LTE --all-interfaces && "$0" status
                    "$0" clear
                    ip link delete ifb7
                    """, try TestNetwork.program(),
                ])
            #expect(result.standardOutput.contains("apply: 64\n"), "\(result)")
            #expect(result.standardError.contains("ifb7: only carries what other interfaces"))
            #expect(!result.standardError.contains("ifb7: apple/LTE"), "\(result)")
            #expect(!result.standardOutput.contains("\nifb7"), "\(result)")
        }
    }
}
