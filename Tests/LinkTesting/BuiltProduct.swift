import Foundation

/// Programs and files of the package under test.
public enum BuiltProduct {
    /// The path of the executable `name`, which lies beside the running test bundle.
    public static func path(of name: String) throws -> String {
        let bundle = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        let path = URL(filePath: bundle).deletingLastPathComponent().appending(path: name).path
        guard FileManager.default.isExecutableFile(atPath: path) else {
            throw MissingProduct(description: "\(path) is not there; run swift build first")
        }
        return path
    }

    /// The directory of Package.swift.
    public static let packageDirectory = URL(filePath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().path

    private struct MissingProduct: Error, CustomStringConvertible {
        let description: String
    }
}
