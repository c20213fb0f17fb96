import Foundation
import LinkModel
import ProfileFormat

/// Turns the YAML files of the catalogue into Swift source when linkcond is built, so that the
/// program needs neither the files nor a YAML parser for a built-in profile.
///
/// Arguments: the Swift file to write, then the YAML files.
@main
enum CatalogCompiler {
    static func main() {
        do {
            let arguments = CommandLine.arguments.dropFirst()
            guard let output = arguments.first else { throw Failure("no output file named") }
            let profiles = try arguments.dropFirst().map(profile(at:)).sorted(by: isBefore)
            try SwiftSource.file(for: profiles)
                .write(toFile: output, atomically: true, encoding: .utf8)
        } catch {
            FileHandle.standardError.write(Data("error: \(error)\n".utf8))
            exit(1)
        }
    }

    private struct Failure: Error, CustomStringConvertible {
        let description: String
        init(_ description: String) { self.description = description }
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

    /// Apple's family first, since its names need no family; the rest by name.
    private static func isBefore(_ left: Profile, _ right: Profile) -> Bool {
        let keys = [left, right].map {
            ($0.family == "apple" ? "" : $0.family, $0.name.lowercased())
        }
        return keys[0] < keys[1]
    }
}
