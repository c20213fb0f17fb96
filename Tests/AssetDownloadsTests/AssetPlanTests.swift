import Foundation
import LinkTesting
import Testing

@testable import AssetDownloads

@Suite("Plan of downloads", .tags(.unit)) struct AssetPlanTests {
    private static let digest = String(repeating: "0", count: 64)
    /// Not in the order in which they are fetched.
    private static let assets = [
        ("p", 10, "prefetch"), ("d", 1, "onDemand"), ("e", 5, "essential"), ("f", 7, "essential"),
    ]

    private static func plan(
        _ event: AssetEvent, missing: Set<String> = ["p", "d", "e", "f"],
        known: Set<String> = [], requested: Set<String> = []
    ) throws -> AssetPlan {
        let entries = assets.map {
            "{\"name\":\"\($0.0)\",\"size\":\($0.1),\"policy\":\"\($0.2)\",\"sha256\":\"\(digest)\"}"
        }
        let text = "{\"format\": 1, \"assets\": [\(entries.joined(separator: ","))]}"
        return AssetPlan(
            try AssetManifest(reading: Data(text.utf8)), event: event, missing: missing,
            known: known, requested: requested)
    }

    /// The names in order; in capitals those that somebody waits for.
    private static func names(_ plan: AssetPlan) -> String {
        plan.steps.map { $0.isUrgent ? $0.asset.name.uppercased() : $0.asset.name }.joined()
    }

    @Test(arguments: [
        (AssetEvent.launch, "EFp"), (.install, "EFp"), (.update, "EFp"), (.periodic, "efp"),
    ])
    func `essential ones come first, and are urgent if somebody waits`(
        _ event: AssetEvent, _ expected: String
    ) throws {
        #expect(try Self.names(Self.plan(event)) == expected)
    }

    @Test func `what is there is not fetched`() throws {
        #expect(try Self.names(Self.plan(.launch, missing: ["f"])) == "F")
        #expect(try Self.plan(.periodic, missing: []).steps.isEmpty)
    }

    @Test func `assets on demand are fetched on demand, and kept up to date from then on`() throws {
        #expect(try Self.names(Self.plan(.launch, requested: ["d"])) == "DEFp")
        #expect(try Self.names(Self.plan(.periodic, known: ["d"])) == "efpd")
    }

    @Test func `parts that are there need no space`() throws {
        let steps = try Self.plan(.launch).steps
        #expect(AssetPlan.neededSpace(steps) { _ in 0 } == 22)
        #expect(AssetPlan.neededSpace(steps) { $0.name == "f" ? 4 : 0 } == 18)
        // A part may be larger than it must be.
        #expect(AssetPlan.neededSpace(steps) { $0.name == "f" ? 40 : 0 } == 15)
        var huge = steps
        for index in huge.indices { huge[index].asset.size = .max }
        #expect(AssetPlan.neededSpace(huge) { _ in 0 } == .max)
    }
}
