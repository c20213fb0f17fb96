import Foundation
import PackagePlugin

/// Writes the version, the commit and the Swift version into the target.
///
/// Sources are inputs because the commit is followed by `-dirty` if they differ from it.
@main
struct StampVersion: BuildToolPlugin {
    func createBuildCommands(context: PluginContext, target: any Target) throws -> [Command] {
        let root = context.package.directoryURL
        let script = root.appending(path: "Scripts/lib/stamp-version")
        let output = context.pluginWorkDirectoryURL.appending(path: "CurrentVersion.swift")
        let compiler = try context.tool(named: "swiftc").url
        return [
            .buildCommand(
                displayName: "Stamping the version", executable: URL(filePath: "/bin/sh"),
                arguments: [script, root, compiler, output].map { $0.path(percentEncoded: false) },
                inputFiles: [script, root.appending(path: "VERSION")] + Self.sources(in: root)
                    + Self.gitFiles(of: root),
                outputFiles: [output])
        ]
    }

    private static func sources(in root: URL) -> [URL] {
        let directory = root.appending(path: "Sources")
        let files = FileManager.default.enumerator(
            at: directory, includingPropertiesForKeys: nil)
        return (files?.compactMap { $0 as? URL } ?? []).filter { !$0.hasDirectoryPath }
            .sorted { $0.path() < $1.path() }
    }

    /// The files of Git that change with the commit; none in sources without Git.
    private static func gitFiles(of root: URL) -> [URL] {
        var directory = root.appending(path: ".git")
        // In other work trees than the first it is a file that names the directory.
        if let text = try? String(contentsOf: directory, encoding: .utf8) {
            let path = text.trimmingPrefix("gitdir: ").prefix { !$0.isNewline }
            directory = URL(filePath: String(path), relativeTo: root)
        }
        return ["HEAD", "logs/HEAD"].map { directory.appending(path: $0).absoluteURL }
            .filter { FileManager.default.fileExists(atPath: $0.path(percentEncoded: false)) }
    }
}
