import Foundation
import LinkModel
import LinkTesting
import Testing

/// The schemas repeat what a direction is, since validators read one file each.
@Suite("Schemas of a direction", .tags(.unit))
struct SchemaTests {
    private typealias Object = [String: Any]

    /// What defines `name` in a schema.
    private func definition(_ name: String, in schema: String) throws -> Object {
        let path = "\(BuiltProduct.packageDirectory)/Profiles/schema/\(schema).schema.json"
        let data = try Data(contentsOf: URL(filePath: path))
        let root = try #require(try JSONSerialization.jsonObject(with: data) as? Object)
        return try #require((root["$defs"] as? Object)?[name] as? Object)
    }

    @Test(arguments: ["list", "show", "show-scenario", "statistics", "status"])
    func `what linkcond prints of a direction is the same everywhere`(schema: String) throws {
        let direction = try definition("direction", in: schema)
        var properties = try #require(direction["properties"] as? Object)
        // Some print what was counted as well.
        properties["counters"] = nil
        let required = try #require(direction["required"] as? [String])
        let keys = Set(ConditionField.all.flatMap { $0.json(DirectionConditions()).keys })
        #expect(Set(properties.keys) == keys)
        #expect(keys.isSubset(of: required))

        let shown = try definition("direction", in: "show")
        let expected = try #require(shown["properties"] as? Object)
        #expect(try text(of: properties) == text(of: expected))
    }

    @Test func `a profile has every field, a scenario a pattern for each`() throws {
        let direction = try definition("direction", in: "profile")
        let properties = try #require(direction["properties"] as? Object)
        #expect(Set(properties.keys) == Set(ConditionField.keys))

        let settings = try definition("settings", in: "scenario")
        let patterns = try #require(settings["patternProperties"] as? Object)
        for path in ["down", "up"].flatMap({ way in ConditionField.keys.map { "\(way).\($0)" } }) {
            let matches = try patterns.keys.filter { try path.contains(Regex($0)) }
            #expect(matches.count == 1, "\(path)")
        }
    }

    private func text(of object: Object) throws -> Data {
        try JSONSerialization.data(withJSONObject: object, options: .sortedKeys)
    }
}
