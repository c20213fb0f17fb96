import Foundation
public import Testing

/// A file beside a test with the text that is expected; `RECORD_GOLDENS=1` rewrites it.
public struct Golden {
    private let url: URL

    /// The file `name` in the directory `Goldens` beside the test's source file.
    public init(_ name: String, testFile: String = #filePath) {
        url = URL(filePath: testFile).deletingLastPathComponent()
            .appending(path: "Goldens").appending(path: name)
    }

    /// Records an issue with the first line that differs, if `text` is not that of the file.
    public func expect(_ text: String, sourceLocation: SourceLocation = #_sourceLocation) throws {
        if ProcessInfo.processInfo.environment["RECORD_GOLDENS"] == "1" {
            try FileManager.default.createDirectory(
                at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data(text.utf8).write(to: url)
            return
        }
        guard let data = try? Data(contentsOf: url) else {
            Issue.record(
                "\(url.path) is missing; RECORD_GOLDENS=1 writes it",
                sourceLocation: sourceLocation)
            return
        }
        let expected = String(decoding: data, as: UTF8.self)
        guard text != expected else { return }
        let difference = Self.difference(expected, text)
        Issue.record(
            "\(url.lastPathComponent): \(difference); RECORD_GOLDENS=1 takes it as it is now",
            sourceLocation: sourceLocation)
    }

    private static func difference(_ expected: String, _ actual: String) -> String {
        let lines = [expected, actual].map {
            $0.split(separator: "\n", omittingEmptySubsequences: false)
        }
        let count = min(lines[0].count, lines[1].count)
        let index = (0..<count).first { lines[0][$0] != lines[1][$0] } ?? count
        let texts = lines.map { index < $0.count ? "\"\($0[index])\"" : "the end" }
        return "line \(index + 1) is \(texts[1]), expected \(texts[0])"
    }
}
