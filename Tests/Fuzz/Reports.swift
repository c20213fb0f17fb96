import LinkModel
import Recording
import XMLReading

@testable import Matrix

/// Readers of what runs leave: reports, JUnit files, logs.
enum Reports {
    static func matrixFile(_ bytes: [UInt8]) {
        let text = String(decoding: bytes, as: UTF8.self)
        do {
            _ = try MatrixFile(parsing: text, file: "fuzz.yaml", names: AnyNames())
        } catch {
            expectLine("\(error)", of: "fuzz.yaml")
        }
        _ = Shard(text)
    }

    static func report(_ bytes: [UInt8]) {
        _ = CellOutcome(json: bytes)
        if let request = try? MatrixRecord(json: bytes, path: "fuzz.json") { _ = request.ownCells }
        _ = try? CellRecord(json: bytes, path: "fuzz.json", digest: "")
        guard let report = try? MatrixReport(json: bytes), report.problem == nil else { return }
        _ = report.secondsByProfile
        if let merged = try? MatrixReport.merging([report], rename: { path, _ in path }) {
            let readable = ReadableReports(merged, in: nil)
            for file in ReadableReports.File.allCases { _ = readable.text(of: file) }
            _ = readable.gitHubMessages
            precondition((try? XMLDocument.read(Array(readable.text(of: .junit).utf8))) != nil)
        }
        guard report.specification.cellCount <= 1000 else { return }
        let cells = report.specification.cells
        let plan = CIPlan(Sharding(cells, into: 3, earlierSeconds: report.secondsByProfile))
        for engine in PlanEngine.allCases {
            _ = try? plan.text(for: engine, arguments: [], command: report.command, image: "image")
        }
        _ = CellFileNames(cells)
    }

    static func junit(_ bytes: [UInt8]) {
        guard let suites = try? JUnitFile.read(bytes) else { return }
        var tests = CollectedTests()
        tests.suites = suites
        _ = tests.failures
        precondition(suites.allSatisfy { $0.seconds >= 0 })
    }

    static func log(_ bytes: [UInt8]) {
        let text = TerminalText(bytes)
        precondition(
            text.plain.unicodeScalars.allSatisfy { $0 == $0.visible }, "everything is visible")
        for limit in [0, 1, 7, 64, bytes.count] {
            let excerpt = LogExcerpt(bytes, limit: limit)
            let kept = excerpt.beginning.count + excerpt.end.count
            precondition(kept <= max(limit, bytes.count > limit ? limit : bytes.count))
            precondition(UInt64(kept) + excerpt.omittedBytes == UInt64(bytes.count))
            _ = excerpt.lastLines(3)
        }
    }
}

/// A catalogue that has every name.
private struct AnyNames: MatrixNames {
    func profileID(_ name: String) -> String { name.lowercased() }

    func profiles(ofFamily family: String) -> [String] { [family] }

    func scenarios(_ source: String) -> [MatrixScenario] {
        [MatrixScenario(name: source, source: source)]
    }

    func check(settings: [String], of profiles: [String]) {}
}
