import Foundation
import PackagePlugin

/// Compiles the profiles under `Profiles/<family>/` into the target that uses this plugin.
@main
struct CompileCatalog: BuildToolPlugin {
    func createBuildCommands(context: PluginContext, target: any Target) throws -> [Command] {
        let catalogue = context.package.directoryURL.appending(path: "Profiles")
        let files = try Self.families(in: catalogue).flatMap(Self.profiles(in:))
        let output = context.pluginWorkDirectoryURL.appending(path: "BuiltInProfiles.swift")
        return [
            .buildCommand(
                displayName: "Compiling \(files.count) profiles",
                executable: try context.tool(named: "CatalogCompiler").url,
                arguments: [output.path()] + files.map { $0.path() },
                inputFiles: files, outputFiles: [output])
        ]
    }

    private static func families(in catalogue: URL) throws -> [URL] {
        try FileManager.default.contentsOfDirectory(
            at: catalogue, includingPropertiesForKeys: [.isDirectoryKey]
        ).filter { directory in
            try directory.resourceValues(forKeys: [.isDirectoryKey]).isDirectory == true
                && !["schema", "scenarios"].contains(directory.lastPathComponent)
        }
    }

    private static func profiles(in family: URL) throws -> [URL] {
        try FileManager.default.contentsOfDirectory(at: family, includingPropertiesForKeys: nil)
            .filter { $0.pathExtension == "yaml" }
            .sorted { $0.path() < $1.path() }
    }
}
