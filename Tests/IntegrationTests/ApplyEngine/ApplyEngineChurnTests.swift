import Foundation
import LinkTesting
import Testing

/// What becomes of traffic, and of the packet engine, while conditions come and go.
@Suite(
    "Churn of apply with the packet engine", .serialized, .requiresEngineHooks, .tags(.anyKernel))
struct ApplyEngineChurnTests {
    /// What `churn.py` found.
    private struct Churn: Decodable {
        struct Datagrams: Decodable {
            let sent, received, duplicates, reordered: Int
        }
        struct Stream: Decodable {
            let bytes: Int
            let isIntact: Bool
        }
        let exitCode: Int
        let errors: String
        let datagrams: [String: Datagrams]
        let streams: [String: Stream]
    }

    /// Applies, replaces and clears fifty times with traffic both ways.
    private static func churn(_ network: TestNetwork, isIPv6: Bool) async throws {
        let cycles = """
            for cycle in $(seq 50); do
                "$0" apply LTE -i eth0 --backend engine || exit 1
                "$0" apply DSL -i eth0 --replace || exit 2
                "$0" clear -i eth0 || exit 3
            done
            """
        let result = try await runProcess(
            "python3",
            [
                "churn.py".absoluteFixture,
                network.app, isIPv6 ? TestNetwork.appIPv6 : TestNetwork.appIPv4,
                network.server, isIPv6 ? TestNetwork.serverIPv6 : TestNetwork.serverIPv4,
                "sh", "-c", cycles, try TestNetwork.program(),
            ], timeout: .seconds(600))
        try #require(result.exitCode == 0, "\(result.standardError)")
        let churn = try JSONDecoder().decode(Churn.self, from: Data(result.standardOutput.utf8))
        #expect(churn.exitCode == 0, "\(churn.errors)")
        for way in ["up", "down"] {
            let datagrams = try #require(churn.datagrams[way])
            #expect(datagrams.duplicates == 0 && datagrams.reordered == 0, "\(way): \(datagrams)")
            // What is under way when conditions are cleared is lost, on a fast machine the most.
            #expect(datagrams.received * 5 > datagrams.sent, "\(way): \(datagrams)")
            let stream = try #require(churn.streams[way])
            #expect(stream.isIntact && stream.bytes > 100_000, "\(way): \(stream)")
        }
    }

    @Test func `fifty times beside another interface, whose engine lives on and grows by nothing`()
        async throws
    {
        try await TestNetwork.withEngine { network in
            try await network.batch(
                """
                link add x0 type veth peer name x1
                link set x0 addrgenmode none up
                """, in: network.app)
            try await network.applyEngine("LTE", "-i", "x0")
            let engine = try #require(try await network.engineProcesses().first)
            // Once before, since some things are opened when they are first needed.
            try await network.applyEngine("LTE", "-i", TestNetwork.interface)
            try await network.mustRun("clear", "-i", TestNetwork.interface)
            let before = try Self.belongings(of: engine)
            let state = try await network.engineState()
            try await Self.churn(network, isIPv6: false)
            #expect(try await network.engineProcesses() == [engine])
            // The engine learns a little later that a client has disconnected.
            var gained: [String: Int] = [:]
            try await network.wait {
                gained = try Self.belongings(of: engine).filter {
                    $0.value > before[$0.key, default: 0]
                }
                return gained.isEmpty
            }
            #expect(gained.isEmpty, "before: \(before)")
            #expect(try await network.engineState() == state)
            try await network.mustRun("clear")
            try await network.batch("link del x0", in: network.app)
        }
    }

    @Test func `fifty times alone, with a new engine each time`() async throws {
        try await TestNetwork.withEngine { network in
            try await Self.churn(network, isIPv6: true)
            #expect(try await network.engineProcesses() == [])
        }
    }

    /// What descriptors a process has open, by kind, and how many threads.
    private static func belongings(of process: Int32) throws -> [String: Int] {
        let directory = "/proc/\(process)"
        var counts: [String: Int] = [:]
        for name in try FileManager.default.contentsOfDirectory(atPath: directory + "/fd") {
            let target = try FileManager.default.destinationOfSymbolicLink(
                atPath: "\(directory)/fd/\(name)")
            counts[String(target.prefix { $0 != "[" }), default: 0] += 1
        }
        let threads = try FileManager.default.contentsOfDirectory(atPath: directory + "/task")
        counts["threads"] = threads.count
        return counts
    }
}
