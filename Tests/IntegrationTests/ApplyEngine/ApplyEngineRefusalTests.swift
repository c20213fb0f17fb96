import Foundation
import LinkTesting
import Testing

/// What the packet engine does not do: one line that says why, the right exit code, and nothing
/// changed.
@Suite("Refusals of apply with the packet engine", .requiresEngineHooks, .tags(.anyKernel))
struct ApplyEngineRefusalTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let arguments: [String]
        let exitCode: Int32
        let said: String
        var links: [String] = []
        var testDescription: String { arguments.joined(separator: " ") }

        init(_ arguments: String..., links: [String] = [], exit code: Int32, _ said: String) {
            self.arguments = arguments
            self.links = links
            exitCode = code
            self.said = said
        }
    }

    @Test(arguments: [
        Case(
            "-i", "x0", links: ["link add x0 type veth peer name y0"], exit: 69, "ip link set x0 up"
        ),
        Case("-i", "eth9", exit: 64, "no such interface"),
        Case(
            "-i", "a\"b", links: ["link add a\"b type veth peer name y0", "link set a\"b up"],
            exit: 69,
            "rename"),
        Case("--set", "up.trace=/no/such.trace", exit: 74, "/no/such.trace"),
        Case("--set", "up.trace=/etc/passwd", exit: 78, "/etc/passwd"),
        Case("--seed", "x", exit: 64, "seed"),
        // The name that the wire is to have: the way up is made already then.
        Case(links: ["link add lcd100 type veth peer name y0"], exit: 1, "lcd100"),
    ])
    func `says why and changes nothing`(_ wrong: Case) async throws {
        try await TestNetwork.with { network in
            for link in wrong.links {
                let words = link.split(separator: " ").map(String.init)
                _ = try await network.run("ip", words)
            }
            let before = try await network.engineState()
            let result = try await network.linkcond(
                ["apply", "baseline.yaml".absoluteFixture, "--backend", "engine"]
                    + wrong.arguments)
            #expect(result.exitCode == wrong.exitCode, "\(result)")
            #expect(result.standardError.contains(wrong.said), "\(result.standardError)")
            try await network.expectNothingLeft(since: before)
        }
    }

    @Test func `one interface that cannot be conditioned leaves the others alone`() async throws {
        try await TestNetwork.withEngine { network in
            try await network.applyEngine("LTE")
            try await network.batch(
                "link add x0 type veth peer name x1\nlink set x0 addrgenmode none up",
                in: network.app)
            let before = try await network.engineState()
            let result = try await network.linkcond(
                "apply", "3G", "-i", "x0", "-i", "x1", "--backend", "engine")
            #expect(result.exitCode == 69 && result.standardError.contains("x1"))
            let again = try await network.linkcond(
                "apply", "3G", "-i", "x0", "-i", "eth0", "--backend", "engine")
            #expect(again.exitCode == 64 && again.standardError.contains("--replace"))
            #expect(try await network.engineState() == before)
            try await network.batch("link del x0", in: network.app)
        }
    }

    @Test func `what another backend conditions is not changed in place`() async throws {
        try await TestNetwork.withEngine { network in
            try await network.applyEngine("LTE")
            let kernel = try await network.linkcond(
                "apply", "3G", "--backend", "kernel", "--replace")
            #expect(kernel.exitCode == 64 && kernel.standardError.contains("clear -i eth0"))
            let seeded = try await network.linkcond("apply", "3G", "--replace", "--seed", "1")
            #expect(seeded.exitCode == 64 && seeded.standardError.contains("--seed"))
            // Without a wish it stays with the engine, whatever the kernel can do.
            try await network.mustRun("apply", "3G", "--replace")
            #expect(try await network.engineStatus().profile == "apple/3G")
        }
    }

    @Test func `the kernel takes no seed`() async throws {
        try await TestNetwork.with { network in
            let result = try await network.linkcond(
                "apply", "LTE", "--backend", "kernel", "--seed", "1")
            #expect(result.exitCode == 69 && result.standardError.contains("--seed"))
        }
    }

    @Test func `without nft it says what to install, if filters of tc are not to be used`()
        async throws
    {
        try await TestNetwork.withEngine { network in
            func apply(_ variables: String) async throws -> ProcessResult {
                let script = """
                    mount --bind /dev/null "$(readlink -f "$(command -v nft)")"
                    exec env \(variables) "$0" apply LTE --backend engine
                    """
                return try await network.run(
                    "unshare", ["--mount", "sh", "-c", script, try TestNetwork.program()])
            }
            let before = try await network.engineState()
            let result = try await apply("LINKCOND_ENGINE_HOOKS=nftables")
            #expect(result.exitCode == 69, "\(result)")
            #expect(result.standardError.contains("apt install nftables"))
            try await network.expectNothingLeft(since: before)
            #expect(try await apply("").exitCode == 0)
            #expect(try await network.filters().contains("pref 61181 bpf"))
        }
    }

    @Test func `only root changes conditions`() async throws {
        try await TestNetwork.withEngine { network in
            try await network.applyEngine("LTE")
            // The way round the checks of the command: who may change a network, but is not root.
            let result = try await network.run(
                "setpriv",
                [
                    "--reuid=65534", "--regid=65534", "--clear-groups", "--inh-caps=+net_admin",
                    "--ambient-caps=+net_admin", try TestNetwork.program(), "apply", "3G",
                    "--replace",
                ])
            #expect(result.exitCode == 77, "\(result)")
            #expect(try await network.engineStatus().profile == "apple/LTE")
        }
    }

    @Test func `a dry run refuses what apply would`() async throws {
        try await TestNetwork.withEngine { network in
            try await network.applyEngine("LTE")
            let result = try await network.linkcond(
                "apply", "3G", "--backend", "engine", "--dry-run")
            #expect(result.exitCode == 64 && result.standardError.contains("--replace"))
        }
    }

    @Test func `a dry run prints commands that work, and does nothing`() async throws {
        try await TestNetwork.with { network in
            let before = try await network.engineState()
            let script = try await network.mustRun(
                "apply", "LTE", "--backend", "engine", "--dry-run")
            #expect(try await network.engineState() == before)
            // Not for the engine's connection alone, so that they can be looked at.
            let shared = script.replacing(" { flags owner; }", with: "")
            let result = try await network.run(
                "sh", ["-ec", shared.replacing("nft --interactive", with: "nft -f -")])
            #expect(result.exitCode == 0, "\(result)")
            let state = try await network.engineState()
            #expect(state.contains("lcu100e") && state.contains("fwd to \"lcd100\""))
            #expect(try await network.engineStatus().problem?.contains("has died") == true)
            try await network.mustRun("clear")
        }
    }
}

/// Where the kernel has no such hooks.
@Suite("Apply without hooks for the packet engine", .requiresNamespaces, .requiresNoEngineHooks)
struct ApplyWithoutEngineHooksTests {
    @Test func `says what the kernel lacks, if filters of tc are not to be used`() async throws {
        try await TestNetwork.with { network in
            let result = try await network.applyEngine(by: .nftables, "LTE")
            #expect(result.exitCode == 69)
            #expect(result.standardError.contains("CONFIG_NF_TABLES_NETDEV"), "\(result)")
            let links = try await network.run("ip", ["-o", "link"]).standardOutput
            #expect(!links.contains("lcu"))
        }
    }
}
