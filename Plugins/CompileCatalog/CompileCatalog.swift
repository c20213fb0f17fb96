import Foundation
import PackagePlugin

/// Compiles the profiles under `Profiles/<family>/`, the scenarios and the schemas next to them into
/// the target.
@main
struct CompileCatalog: BuildToolPlugin {
    func createBuildCommands(context: PluginContext, target: any Target) throws -> [Command] {
        let catalogue = context.package.directoryURL.appending(path: "Profiles")
        let schemas = try Self.files(in: catalogue.appending(path: "schema"), of: "json")
        let families = try Self.families(in: catalogue)
        let files = try families.flatMap { try Self.files(in: $0, of: "yaml") } + schemas
        let outputs = ["Profiles", "Scenarios", "Schemas"].map { "BuiltIn\($0).swift" }.map {
            context.pluginWorkDirectoryURL.appending(path: $0)
        }
        return [
            .buildCommand(
                displayName: "Compiling \(files.count) profiles, scenarios and schemas",
                executable: try context.tool(named: "CatalogCompiler").url,
                arguments: (outputs + files).map { $0.path(percentEncoded: false) },
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

    private static func files(in directory: URL, of kind: String) throws -> [URL] {
        try FileManager.default.contentsOfDirectory(at: directory, includingPropertiesForKeys: nil)
            .filter { $0.pathExtension == kind }
            .sorted { $0.path() < $1.path() }
    }
}
