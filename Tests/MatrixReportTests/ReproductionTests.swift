import Foundation
import LinkTesting
import Recording
import Testing
import XMLReading

@testable import Matrix

/// The command that runs a cell again, as each report has it, given to a shell.
@Suite("Commands in reports", .tags(.unit))
struct ReproductionTests {
    private static let words =
        ["run", "a';>pwned;'", "--"] + HostileWords.printable
        + ["a\n>pwned\n", "\t"]

    private static var readable: ReadableReports {
        var cells = SampleReport.report.cells
        for index in cells.indices { cells[index].reproduce = ["linkcond"] + words }
        let report = SampleReport.report
        return ReadableReports(
            MatrixReport(
                command: report.command, specification: report.specification,
                startedAt: report.startedAt, durationSeconds: 1, isFinished: true,
                machine: report.machine, cells: cells), in: nil)
    }

    private func expectWords(_ text: String, _ place: String) throws {
        let echoed = try shell(HostileWords.printing("linkcond", script: text))
        #expect(echoed == Self.words.map { $0 + "." }.joined(), "\(place)")
    }

    @Test func `in JUnit's XML`() throws {
        let root = try XMLDocument.read(Array(Self.readable.text(of: .junit).utf8))
        let properties = root.elements.flatMap(\.elements).filter { $0.name == "properties" }
            .flatMap(\.elements).filter { $0.attributes["name"] == "reproduce" }
        #expect(!properties.isEmpty)
        for property in properties.prefix(2) {
            try expectWords(try #require(property.attributes["value"]), "junit.xml")
        }
    }

    @Test func `in the summary and in the page`() throws {
        for (file, start, end) in [
            (ReadableReports.File.summary, "<pre>linkcond", "</pre>"),
            (.page, "<code>linkcond", "</code>"),
        ] {
            let text = Self.readable.text(of: file)
            let begin = try #require(text.firstRange(of: start))
            let rest = text[begin.upperBound...]
            let finish = try #require(rest.firstRange(of: end))
            let plain = [
                ("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&#39;", "'"), ("&amp;", "&"),
            ]
            .reduce(String(rest[..<finish.lowerBound])) { text, entity in
                // A quotation mark with an accent behind it is one character.
                text.replacingOccurrences(of: entity.0, with: entity.1, options: .literal)
            }
            try expectWords("linkcond" + plain, "\(file)")
        }
    }

    @Test func `in what GitHub shows`() throws {
        let message = try #require(
            Self.readable.gitHubMessages.first { $0.contains("run it again: ") })
        let text = message[try #require(message.firstRange(of: "run it again: ")).upperBound...]
            .replacing("%0A", with: "\n").replacing("%0D", with: "\r").replacing("%25", with: "%")
        try expectWords(String(text), "GitHub")
    }
}
