import Foundation
import PackagePlugin

/// `swift package linkcond test --profiles LTE,3G`: runs a package's tests once per profile.
///
/// Arguments after `test` are options of `linkcond matrix`; those after `--` are options of `swift
/// test`.
@main
struct LinkcondPlugin: CommandPlugin {
    func performCommand(context: PluginContext, arguments: [String]) async throws {
        guard arguments.first == "test" else {
            throw PluginFailure(
                description:
                    "write swift package linkcond test --profiles LTE,3G [-- --filter NAME]")
        }
        let words = arguments.dropFirst()
        let hyphens = words.firstIndex(of: "--") ?? words.endIndex
        let build = try packageManager.build(
            .all(includingTests: true), parameters: .init(logging: .concise, echoLogs: true))
        guard build.succeeded else { throw PluginFailure(description: "the tests do not build") }

        let matrix = Process()
        matrix.executableURL = try context.tool(named: "linkcond").url
        matrix.currentDirectoryURL = context.package.directoryURL
        // The tests are already built, and this process holds the build lock.
        matrix.arguments =
            ["matrix"] + words[..<hyphens] + [
                "--", "swift", "test", "--skip-build", "--ignore-lock",
            ]
            + words[hyphens...].dropFirst()
        try matrix.run()
        matrix.waitUntilExit()
        guard matrix.terminationReason == .exit, matrix.terminationStatus == 0 else {
            throw PluginFailure(
                description: "linkcond matrix ended with \(matrix.terminationStatus)")
        }
    }
}

private struct PluginFailure: Error, CustomStringConvertible {
    let description: String
}
