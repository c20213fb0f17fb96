import Foundation
import LinkTesting

/// The YAML files of the catalogue, as they stand in the repository.
enum BuiltInFiles {
    static func all() throws -> [(path: String, text: String)] {
        let directory = URL(filePath: BuiltProduct.packageDirectory).appending(path: "Profiles")
        let paths = try FileManager.default.subpathsOfDirectory(atPath: directory.path)
        return try paths.filter { $0.hasSuffix(".yaml") && !$0.hasPrefix("scenarios/") }.sorted()
            .map { path in
                let data = try Data(contentsOf: directory.appending(path: path))
                return (path, String(decoding: data, as: UTF8.self))
            }
    }
}
