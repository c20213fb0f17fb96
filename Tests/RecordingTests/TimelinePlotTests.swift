import Foundation
import LinkTesting
import Recording
import Testing
import XMLReading

/// The drawing of a run over time. `LINKCOND_SCREENSHOTS=DIR` keeps the files to look at.
@Suite("Timeline plot", .tags(.unit)) struct TimelinePlotTests {
    private func keep(_ text: String, as name: String) throws {
        guard let directory = ProcessInfo.processInfo.environment["LINKCOND_SCREENSHOTS"] else {
            return
        }
        try text.write(toFile: "\(directory)/\(name)", atomically: true, encoding: .utf8)
    }

    private func texts(in svg: String) throws -> [String] {
        func texts(of element: XMLElement) -> [String] {
            element.name == "text" ? [element.text] : element.elements.flatMap(texts)
        }
        return texts(of: try XMLDocument.read(Array(svg.utf8)))
    }

    @Test func `a walk out of Wi-Fi is drawn as it always was`() throws {
        let plot = TimelinePlot(SampleTimelines.walk, title: "Walking out of Wi-Fi: curl")
        try keep(plot.html, as: "walk.html")
        try keep(plot.svg, as: "walk.svg")
        try Golden("walk.svg").expect(plot.svg)
        try Golden("walk.html").expect(plot.html)
    }

    @Test func `a run without a scenario is one interface and no events`() throws {
        let plot = TimelinePlot(SampleTimelines.plain, title: "LTE: npm test")
        try keep(plot.html, as: "plain.html")
        let words = try texts(in: plot.svg)
        #expect(words.contains("LTE: npm test"))
        #expect(words.contains("Throughput"))
        #expect(words.contains("Delay on the link"))
        #expect(!words.contains("eth0"))
        #expect(!words.contains("expensive"))
    }

    @Test func `of a thousand events those are told that failed, and some others`() throws {
        let plot = TimelinePlot(SampleTimelines.restless, title: "Restless")
        try keep(plot.html, as: "restless.html")
        let words = try texts(in: plot.svg)
        #expect(words.contains("540 s"))
        #expect(words.contains("and 940 more events"))
        // Neither curves nor marks are drawn finer than can be seen.
        #expect(plot.svg.utf8.count < 150_000)
    }

    @Test func `nothing to see is a drawing all the same`() throws {
        for record in [
            TimelineRecord(), TimelineRecord(durationSeconds: .nan),
            TimelineRecord(durationSeconds: 3, interfaces: [InterfaceRecord("eth0")]),
        ] {
            #expect(try texts(in: TimelinePlot(record).svg).contains("0 s"))
        }
    }

    @Test func `what comes from outside stays text`() throws {
        let hostile = "</text><script>alert(1)</script>\u{1B}[31m&\"'\u{202E}"
        var record = SampleTimelines.walk
        record.interfaces[0].name = hostile
        record.events[0].text = hostile
        record.events[1].text = String(repeating: "abc ", count: 1000)
        let plot = TimelinePlot(record, title: hostile)
        #expect(try texts(in: plot.svg).contains { $0.hasPrefix("</text><script>alert(1)") })
        #expect(!plot.html.contains("<script"))
    }

    @Test func `a record is read back as it was written`() throws {
        let record = SampleTimelines.walk
        let json = try JSONEncoder().encode(record)
        #expect(try JSONDecoder().decode(TimelineRecord.self, from: json) == record)
    }

    @Test func `of two things at one moment the later one holds`() {
        var interface = InterfaceRecord("eth0")
        interface.enter(PathState(), at: .zero)
        interface.enter(PathState(isUp: false), at: .seconds(1))
        interface.enter(PathState(isExpensive: true), at: .seconds(1))
        interface.enter(PathState(isExpensive: true), at: .seconds(2))
        #expect(
            interface.states.map(\.seconds) == [0, 1]
                && interface.states.last?.state.isExpensive == true)
    }
}
