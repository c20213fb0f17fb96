import Foundation
import LinkTesting
import Testing

@testable import AssetDownloads

@Suite("Manifest of assets", .tags(.unit)) struct AssetManifestTests {
    private static let digest = String(repeating: "0aB", count: 21) + "c"

    /// A manifest with one asset, some of whose values are replaced.
    private static func manifest(_ changes: [String: String] = [:]) -> Data {
        let values = [
            "name": "\"a.pack\"", "size": "5", "sha256": "\"\(digest)\"", "policy": "\"prefetch\"",
        ].merging(changes) { $1 }
        let fields = values.filter { !$0.value.isEmpty }.map { "\"\($0.key)\": \($0.value)" }
        return Data(
            "{\"format\": 1, \"version\": \"2\", \"assets\": [{\(fields.joined(separator: ","))}]}"
                .utf8)
    }

    @Test func `it is read, and digests are in lower case`() throws {
        let manifest = try AssetManifest(reading: Self.manifest())
        #expect(manifest.version == "2")
        #expect(
            manifest.assets == [
                .init(
                    name: "a.pack", size: 5, sha256: Self.digest.lowercased(), policy: .prefetch)
            ])
    }

    @Test(
        arguments: [
            ("name", "\"../a\"", "name"), ("name", "\"a/b\"", "name"), ("name", "\"\"", "name"),
            ("name", "\".assets\"", "name"), ("name", "\"a\\u0000b\"", "name"),
            ("name", "\"\(String(repeating: "x", count: 201))\"", "name"),
            ("size", "0", "size of a.pack"), ("size", "-1", "size of a.pack"),
            ("size", "1e30", "too large"), ("size", "\"5\"", "`size` is of the wrong type"),
            ("sha256", "\"abc\"", "64 hexadecimal digits"),
            ("sha256", "\"\(String(repeating: "g", count: 64))\"", "64 hexadecimal digits"),
            ("sha256", "\"\(String(repeating: "１", count: 64))\"", "64 hexadecimal digits"),
            ("policy", "\"now\"", "essential, prefetch, onDemand"),
            ("policy", "", "`policy` is missing"),
        ])
    func `what is not as it must be is named`(_ key: String, _ value: String, _ reason: String) {
        let error = #expect(throws: AssetError.self) {
            try AssetManifest(reading: Self.manifest([key: value]))
        }
        #expect(error?.description.contains(reason) == true, "\(error?.description ?? "")")
    }

    @Test(
        arguments: [
            ("", "not JSON"), ("[]", "no JSON object"),
            ("{}", "`format`"),
            ("{\"format\": 2, \"assets\": []}", "format 2"), ("{\"format\": 1}", "`assets`"),
            ("{\"format\": 1, \"assets\": 5}", "`assets` is of the wrong type"),
        ])
    func `so is another file`(_ text: String, _ reason: String) {
        let error = #expect(throws: AssetError.self) {
            try AssetManifest(reading: Data(text.utf8))
        }
        #expect(error?.description.contains(reason) == true, "\(error?.description ?? "")")
    }

    @Test func `an asset is not there twice, and a manifest is no large file`() throws {
        var text = String(decoding: Self.manifest(), as: UTF8.self)
        let start = try #require(text.firstIndex(of: "["))
        let asset = text[text.index(after: start)...].dropLast(2)
        text = "{\"format\": 1, \"assets\": [\(asset), \(asset)]}"
        for data in [Data(text.utf8), Data(count: AssetManifest.sizeLimit + 1)] {
            #expect(throws: AssetError.self) { try AssetManifest(reading: data) }
        }
    }
}
