import Foundation
import PackagePlugin

/// Compiles the profiles under `Profiles/<family>/` and the scenarios next to them into the target.
@main
struct CompileCatalog: BuildToolPlugin {
    func createBuildCommands(context: PluginContext, target: any Target) throws -> [Command] {
        let catalogue = context.package.directoryURL.appending(path: "Profiles")
        let files = try Self.families(in: catalogue).flatMap(Self.profiles(in:))
        let outputs = ["BuiltInProfiles.swift", "BuiltInScenarios.swift"].map {
            context.pluginWorkDirectoryURL.appending(path: $0)
        }
        return [
            .buildCommand(
                displayName: "Compiling \(files.count) profiles and scenarios",
                executable: try context.tool(named: "CatalogCompiler").url,
                arguments: outputs.map { $0.path() } + files.map { $0.path() },
                inputFiles: files, outputFiles: outputs)
        ]
    }

    private static func families(in catalogue: URL) throws -> [URL] {
        try FileManager.default.contentsOfDirectory(
            at: catalogue, includingPropertiesForKeys: [.isDirectoryKey]
        ).filter { directory in
            try directory.resourceValues(forKeys: [.isDirectoryKey]).isDirectory == true
                && directory.lastPathComponent != "schema"
        }
    }

    private static func profiles(in family: URL) throws -> [URL] {
        try FileManager.default.contentsOfDirectory(at: family, includingPropertiesForKeys: nil)
            .filter { $0.pathExtension == "yaml" }
            .sorted { $0.path() < $1.path() }
    }
}
