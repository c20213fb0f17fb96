import Foundation
import LinkModel
import LinkTesting
import Testing

/// The schemas of what people write say what a direction is, each for itself, since an editor reads
/// one file.
@Suite("Schemas of a direction", .tags(.unit))
struct SchemaTests {
    private typealias Object = [String: Any]

    private func root(of schema: String) throws -> Object {
        let path = "\(BuiltProduct.packageDirectory)/Profiles/schema/\(schema).schema.json"
        let data = try Data(contentsOf: URL(filePath: path))
        return try #require(try JSONSerialization.jsonObject(with: data) as? Object)
    }

    /// What defines `name` in a schema.
    private func definition(_ name: String, in schema: String) throws -> Object {
        try #require((root(of: schema)["$defs"] as? Object)?[name] as? Object)
    }

    @Test func `every field is printed`() throws {
        let direction = try root(of: "direction")
        let properties = try #require(direction["properties"] as? Object)
        let required = try #require(direction["required"] as? [String])
        let keys = Set(ConditionField.all.flatMap { $0.json(DirectionConditions()).keys })
        #expect(Set(properties.keys) == keys)
        #expect(Set(required) == keys)
    }

    @Test(arguments: ["list", "show", "show-scenario", "statistics", "status"])
    func `what linkcond prints of a direction is the same everywhere`(schema: String) throws {
        let direction = try definition("direction", in: schema)
        #expect(direction["$ref"] as? String == "linkcond:direction")
        #expect(direction["unevaluatedProperties"] as? Bool == false)
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
}
