import Foundation
import Testing

/// axe-core, the usual checker of accessibility, which `Scripts/test --only packages` puts into
/// `.build/axe.min.js`.
public enum Axe {
    /// The environment in which `chromium.py` finds it.
    public static func environment() throws -> [String: String] {
        let path = "\(BuiltProduct.packageDirectory)/.build/axe.min.js"
        try #require(
            FileManager.default.fileExists(atPath: path),
            "\(path) is missing; `Scripts/test --only packages` gets it")
        return ProcessInfo.processInfo.environment.merging(["AXE": path]) { $1 }
    }
}
