import LinkTesting
import Testing

/// As many conditions as an interface can have.
@Suite(
    "Apply many conditions to one interface with the packet engine", .requiresEngineHooks,
    .tags(.anyKernel, .long), .enabled(if: hasPrograms("python3"), "python3 is missing"))
struct ApplyEngineRoomTests {
    @Test func `a hundred stand beside each other, each for traffic of its own`() async throws {
        try await TestNetwork.withEngine { network in
            for number in 0..<100 {
                try await network.applyEngine(
                    "LTE", "--name", "n\(number)", "--port", "\(7000 + number)")
            }
            let all = try await network.status().conditioned
            #expect(all.count == 100, "\(all.compactMap(\.defect))")
            let more = try await network.linkcond(
                ["apply", "LTE", "--backend", "engine", "--name", "more", "--port", "1"])
            #expect(more.exitCode == 69, "\(more)")
            #expect(more.standardError.contains("eth0: has 100 conditions already"), "\(more)")
            for port in [7000, 7024, 7063, 7099] {
                #expect(try await connectSeconds(network, to: port) >= 0.1149)
            }
            for port in [6999, 7100] {
                try await network.expectFast { try await 1000 * connectSeconds(network, to: port) }
            }
            try await network.mustRun("clear", "--name", "n63")
            try await network.expectFast { try await 1000 * connectSeconds(network, to: 7063) }
            #expect(try await connectSeconds(network, to: 7099) >= 0.1149)
            #expect(try await network.status().conditioned.count == 99)
        }
    }

    @Test(.requiresKernelTypes)
    func `programs are chosen by the first of them, whatever stands there`() async throws {
        try await TestNetwork.withEngine { network in
            for number in 0..<25 {
                try await network.applyEngine(
                    "LTE", "--name", "n\(number)", "--port", "\(7000 + number)")
            }
            let choice = ["apply", "LTE", "--backend", "engine", "--process", "no-such", "--name"]
            let last = try await network.linkcond(choice + ["n24", "--replace"])
            let new = try await network.linkcond(choice + ["new"])
            for result in [last, new] {
                #expect(result.exitCode == 69, "\(result)")
                #expect(result.standardError.contains("only the first 24 conditions"), "\(result)")
            }
            try await network.mustRun("clear", "--name", "n11")
            try await network.applyEngine("LTE", "--process", "no-such", "--name", "new")
        }
    }

    /// How long a server takes to refuse a connection.
    private func connectSeconds(_ network: TestNetwork, to port: Int) async throws -> Double {
        let script = """
            import socket, time
            began = time.monotonic()
            socket.socket().connect_ex(("\(TestNetwork.serverIPv4)", \(port)))
            print(time.monotonic() - began)
            """
        let result = try await network.run("python3", ["-c", script])
        return try #require(Double(result.standardOutput.dropLast()), "\(result)")
    }
}
