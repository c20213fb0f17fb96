import Foundation
public import Testing

/// The schema of JUnit files of Jenkins' xUnit plugin, `junit-10.xsd`, which comes with the
/// sources of pytest.
public enum JUnitSchema {
    /// Records an issue if a JUnit file is not valid.
    public static func expectValid(
        _ xml: String, sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let schema = "\(BuiltProduct.packageDirectory)/.build/junit-10.xsd"
        try #require(
            FileManager.default.fileExists(atPath: schema),
            "\(schema) is missing; `Scripts/test --only packages` gets it")
        try await withTemporaryDirectory { directory in
            let file = try directory.write(xml, to: "junit.xml")
            let result = try await runProcess("xmllint", ["--noout", "--schema", schema, file])
            #expect(
                result.exitCode == 0, "\(result.standardError)", sourceLocation: sourceLocation)
        }
    }
}
