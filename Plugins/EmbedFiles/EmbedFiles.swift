import Foundation
import PackagePlugin

/// Makes the text files in directories of a target that are named `Resources` a part of the program.
///
/// SwiftPM's own way to do so, `.embedInCode`, writes an array of numbers. The compiler takes seconds
/// for each hundred kilobytes of it, and for a text none.
@main
struct EmbedFiles: BuildToolPlugin {
    func createBuildCommands(context: PluginContext, target: any Target) throws -> [Command] {
        let script = context.package.directoryURL.appending(path: "Scripts/lib/embed-files")
        let output = context.pluginWorkDirectoryURL.appending(path: "EmbeddedFiles.swift")
        let files = Self.files(in: target.directoryURL)
        return [
            .buildCommand(
                displayName: "Embedding \(files.count) files", executable: URL(filePath: "/bin/sh"),
                arguments: ([script, output] + files).map { $0.path(percentEncoded: false) },
                inputFiles: [script] + files, outputFiles: [output])
        ]
    }

    private static func files(in directory: URL) -> [URL] {
        let files = FileManager.default.enumerator(at: directory, includingPropertiesForKeys: nil)
        return (files?.compactMap { $0 as? URL } ?? []).filter {
            $0.deletingLastPathComponent().lastPathComponent == "Resources"
        }.sorted { $0.path() < $1.path() }
    }
}
