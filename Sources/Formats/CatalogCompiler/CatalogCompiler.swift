import Foundation
import LinkModel
import ProfileFormat
import Scenarios

/// Compiles the catalogue's YAML files to Swift source when linkcond is built, so that the program
/// needs neither the files nor a YAML parser for a built-in profile. A scenario stays text,
/// comments included, after it has been validated. So does a schema.
///
/// Arguments: the Swift files to write for profiles, scenarios and schemas, then the files to read.
@main
enum CatalogCompiler {
    static func main() {
        do {
            let arguments = CommandLine.arguments.dropFirst()
            guard arguments.count >= 3 else { throw Failure("no output files named") }
            let outputs = Array(arguments.prefix(3))
            let isSchema = { (path: String) in path.hasSuffix(".schema.json") }
            let files = arguments.dropFirst(3).filter { !isSchema($0) }
            let profiles = try profiles(at: files.filter { !isScenario($0) })
            try SwiftSource.file(for: profiles)
                .write(toFile: outputs[0], atomically: true, encoding: .utf8)
            let scenarios = try scenarios(at: files.filter(isScenario), profiles)
            try SwiftSource.file(for: scenarios)
                .write(toFile: outputs[1], atomically: true, encoding: .utf8)
            let schemas = try arguments.dropFirst(3).filter(isSchema).map { path in
                let name = String(URL(filePath: path).lastPathComponent.prefix { $0 != "." })
                return (name: name, text: try String(contentsOfFile: path, encoding: .utf8))
            }
            try SwiftSource.file(for: BundledSchemas.all(schemas))
                .write(toFile: outputs[2], atomically: true, encoding: .utf8)
        } catch {
            FileHandle.standardError.write(Data("error: \(error)\n".utf8))
            exit(1)
        }
    }

    private struct Failure: Error, CustomStringConvertible {
        let description: String
        init(_ description: String) { self.description = description }
    }

    private static func profiles(at paths: [String]) throws -> [Profile] {
        try paths.map(profile(at:)).sorted(by: isBefore)
    }

    // A loop, because the optimizer of Swift 6.3 fails on a throwing closure here.
    private static func scenarios(
        at paths: [String], _ profiles: [Profile]
    ) throws -> [(scenario: Scenario, text: String)] {
        var scenarios: [(scenario: Scenario, text: String)] = []
        for path in paths { scenarios.append(try scenario(at: path, profiles)) }
        return scenarios.sorted { $0.scenario.name.lowercased() < $1.scenario.name.lowercased() }
    }

    private static func profile(at path: String) throws -> Profile {
        let url = URL(fileURLWithPath: path)
        let text = try String(contentsOf: url, encoding: .utf8)
        let directory = url.deletingLastPathComponent().lastPathComponent
        let profile = try ProfileReader.profile(
            from: text, file: path, defaultFamily: directory)
        guard profile.family == directory else {
            throw Failure("\(path): family: \(profile.family) is not the directory's name")
        }
        return profile
    }

    private static func isScenario(_ path: String) -> Bool {
        URL(fileURLWithPath: path).deletingLastPathComponent().lastPathComponent == "scenarios"
    }

    // If this is inlined, Swift 6.3.1 fails with "swifterror value can only be loaded and stored".
    @inline(never)
    private static func scenario(
        at path: String, _ profiles: [Profile]
    ) throws -> (scenario: Scenario, text: String) {
        let text = try String(contentsOfFile: path, encoding: .utf8)
        let scenario = try ScenarioReader.scenario(from: text, file: path) { name in
            let wanted = NameMatching.normalized(name)
            // Apple's profiles come first, so a name without a family means theirs.
            let found = profiles.first { profile in
                ([profile.name, profile.id] + profile.aliases).contains {
                    NameMatching.normalized($0) == wanted
                }
            }
            guard let found else { throw Failure("\(name): no such profile") }
            return found
        }
        return (scenario, text)
    }

    /// Apple's family first, since its names need no family; the rest by name.
    private static func isBefore(_ left: Profile, _ right: Profile) -> Bool {
        let keys = [left, right].map {
            ($0.family == "apple" ? "" : $0.family, $0.name.lowercased())
        }
        return keys[0] < keys[1]
    }
}
