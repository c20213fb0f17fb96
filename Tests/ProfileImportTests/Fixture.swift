import Foundation
import ProfileImport

/// The sample files beside these tests, each as its tool writes it.
enum Fixture {
    /// Every sample, and its format.
    static let all: [(name: String, format: ForeignFormat)] = [
        ("com.apple.network.prefPaneSimulate.plist", .nlc), ("settings.binary.plist", .nlc),
        ("presets.plist", .nlc), ("defaults-read.txt", .nlc), ("tcshow.json", .tcconfig),
        ("throttle.json", .throttle), ("throttle-lte.json", .throttle),
        ("connectivity.ini", .webpagetest), ("Edge-Lossy.json", .atc),
        ("atc-profiles.json", .atc), ("lighthouse-report.json", .chrome),
        ("puppeteer-conditions.json", .chrome), ("devtools-custom.json", .chrome),
        ("Station-LTE.down", .mahimahi), ("Station-LTE.up", .mahimahi),
    ]

    static func file(_ name: String) throws -> ForeignFile {
        let url = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "Fixtures").appending(path: name)
        return ForeignFile(
            name: name, path: "/samples/\(name)", bytes: Array(try Data(contentsOf: url)))
    }

    /// A file with this text.
    static func text(_ text: String, name: String = "file") -> ForeignFile {
        ForeignFile(name: name, path: "/samples/\(name)", bytes: Array(text.utf8))
    }
}
