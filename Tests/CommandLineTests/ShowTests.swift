import Catalog
import Foundation
import LinkTesting
import Testing

@testable import linkcond

@Suite("linkcond show", .tags(.unit))
struct ShowTests {
    @Test(
        "The table of a profile",
        arguments: ["LTE", "starlink-handover", "100%-loss", "high-latency-dns", "wifi"])
    func table(name: String) async throws {
        let result = try await runLinkcond("show", name)
        #expect(result.exitCode == 0)
        #expect(result.standardError == "")
        try Golden("show-\(name).txt").expect(result.standardOutput)
        #expect(try await runLinkcond("show", name, "--format", "table") == result)
    }

    @Test("Every field has its row, and a file of the user its path")
    func allFields() async throws {
        try await withTemporaryDirectory { directory in
            try directory.write(
                """
                name: Everything
                aliases: [all]
                summary: Every field of a direction
                interface: cellular
                down: { bandwidth: 10 Mbit/s, delay: 50 ms, jitter: 5 ms, distribution: pareto, \
                loss: { mean: 2%, burst: 8.5 }, duplicate: 1%, corrupt: 0.1%, \
                reorder: { mean: 1%, gap: 5 }, queue: 64 KiB, aqm: codel, \
                ecn: true, mtu: 1280, icmp: silent }
                up: { trace: up.trace, queue: 200 ms, delay: 1 ms, reorder: 1% }
                dns: { delay: 3 s }
                middle: { firewall: { block: [udp, tcp/22], answer: reset }, nat: { kind: symmetric }, mss: 1360, \
                dns: { servfail: 10%, nxdomain: [ads.example, "*.ads.example"], \
                wrong-answer: { address: 203.0.113.7, names: "*.example.net" }, truncate: true } }
                expensive: true
                constrained: true
                """, to: "all.yaml")
            for format in ["table", "yaml"] {
                let result = try await runLinkcond(
                    "show", "./all.yaml", "--format", format, in: directory)
                #expect(result.exitCode == 0)
                try Golden("show-everything.\(format)").expect(result.standardOutput)
            }
            let json = try await runLinkcond("show", "./all.yaml", "--json", in: directory)
            try await JSONSchema("show").expectValid(json.standardOutput)
            try Self.expectEverything(in: json.standardOutput)
        }
    }

    /// The schema has the keys; here are the units.
    private static func expectEverything(in json: String) throws {
        let expected = """
            {
                "profile": { "id": "user/Everything", "aliases": ["all"], "interface": "cellular",
                    "expensive": true, "constrained": true, "blackhole": false },
                "dns": { "delayMilliseconds": 3000 },
                "down": { "bandwidthBitsPerSecond": 10000000, "delayMilliseconds": 50,
                    "jitterMilliseconds": 5, "jitterDistribution": "pareto", "lossRatio": 0.02,
                    "lossBurstPackets": 8.5, "duplicateRatio": 0.01, "corruptRatio": 0.001,
                    "reorderRatio": 0.01, "reorderGapPackets": 5, "queuePackets": 52,
                    "aqm": "codel", "ecn": true, "trace": null,
                    "mtuBytes": 1280, "icmp": "silent" },
                "up": { "bandwidthBitsPerSecond": null, "trace": "up.trace", "lossRatio": 0,
                    "queuePackets": null, "lossBurstPackets": 1, "reorderGapPackets": 1,
                    "mtuBytes": null, "icmp": "answered" }
            }
            """
        func objects(_ json: String) throws -> [String: Any] {
            try #require(
                try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String: Any])
        }
        let profile = try objects(json)
        for (key, value) in try objects(expected) {
            let value = try #require(value as? NSDictionary)
            let shown = try #require((key == "profile" ? profile : profile[key]) as? [String: Any])
            let part = shown.filter { value[$0.key] != nil }
            #expect(NSDictionary(dictionary: part) == value, "\(key)")
        }
    }

    @Test(
        "JSON conforms to its schema", arguments: ["LTE", "100%-loss", "high-latency-dns", "geo"])
    func json(name: String) async throws {
        let result = try await runLinkcond("show", name, "--json")
        #expect(result.exitCode == 0)
        try await JSONSchema("show").expectValid(result.standardOutput)
        #expect(try await runLinkcond("show", name, "--format", "json") == result)
        #expect(try await runLinkcond("show", name, "--format", "json", "--json") == result)
    }

    @Test("What is printed as YAML is the same profile when it is read")
    func yaml() async throws {
        try await withTemporaryDirectory { directory in
            for name in ["LTE", "starlink", "100%-loss", "chrome/3G"] {
                let yaml = try await runLinkcond("show", name, "--format", "yaml")
                try directory.write(yaml.standardOutput, to: "copy.yaml")
                let copy = try await runLinkcond("show", "./copy.yaml", "--json", in: directory)
                #expect(try await copy == runLinkcond("show", name, "--json"), "\(name)")
            }
        }
    }

    @Test("With -v it says where the profile was found")
    func verbose() async throws {
        let result = try await runLinkcond("show", "wifi", "-v")
        #expect(result.standardError == "wifi is apple/Wi-Fi, built in\n")
    }
}
