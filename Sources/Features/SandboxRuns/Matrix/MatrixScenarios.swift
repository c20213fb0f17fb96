import Catalog
import FoundationEssentials
import Matrix
import Scenarios
import UserCatalog

/// Finds the scenarios that a matrix names.
enum MatrixScenarios {
    /// Those of the command line: names, files and directories; nil if there are none.
    static func named(_ arguments: [String]) throws -> [MatrixScenario]? {
        guard !arguments.isEmpty else { return nil }
        let scenarios = try arguments.flatMap { $0.split(separator: ",") }.flatMap { part in
            try found(String(part))
        }
        var names: Set<String> = []
        for scenario in scenarios where !names.insert(scenario.name).inserted {
            throw UsageError(description: "--scenarios: \(scenario.name) is there twice; leave one")
        }
        return scenarios
    }

    /// The scenario with this name, or those in a directory.
    static func found(_ source: String) throws -> [MatrixScenario] {
        try (files(in: source) ?? [source]).map { source in
            let entry = try UserCatalog.scenarios.entry(named: source)
            return MatrixScenario(name: entry.scenario.name, source: source)
        }
    }

    /// The scenarios in a directory; nil if it is not a directory.
    private static func files(in path: String) throws -> [String]? {
        var isDirectory = false
        guard FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory), isDirectory
        else { return nil }
        let names = try FileManager.default.contentsOfDirectory(atPath: path)
            .filter { $0.hasSuffix(".yaml") || $0.hasSuffix(".yml") }.sorted()
        guard !names.isEmpty else {
            throw UsageError(description: "\(path): there are no .yaml files in it")
        }
        let directory = path.hasSuffix("/") ? String(path.dropLast()) : path
        // A bare name would refer to the catalogue.
        return names.map { directory.contains("/") ? "\(directory)/\($0)" : "./\(directory)/\($0)" }
    }
}
