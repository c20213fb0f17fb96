import Foundation
import LinkModel
import LinkTesting
import PacketEngine
import Recording
import Testing

@Suite("Trace plot", .tags(.unit)) struct TracePlotTests {
    @Test func `a trace is drawn as it always was`() throws {
        // A ramp up and down, and a pause.
        var moments: [Int] = []
        for tenth in 0..<60 where !(25..<32).contains(tenth) {
            let count = 10 + 30 - abs(tenth - 30)
            moments += (0..<count).map { tenth * 100 + $0 * 100 / count }
        }
        moments.append(6000)
        let trace = try DeliveryTrace(parsing: moments.map { "\($0)\n" }.joined())
        let plot = TracePlot(trace, title: "train.down")
        if let directory = ProcessInfo.processInfo.environment["LINKCOND_SCREENSHOTS"] {
            try plot.html.write(
                toFile: "\(directory)/trace.html", atomically: true, encoding: .utf8)
        }
        try Golden("trace.svg").expect(plot.svg)
    }

    @Test func `a long trace is drawn in steps that can be told apart`() throws {
        let text = (1...36_000).map { "\($0 * 100)\n" }.joined()
        let plot = TracePlot(try DeliveryTrace(parsing: text), title: "an hour")
        #expect(plot.svg.utf8.count < 30_000)
        #expect(plot.svg.contains("in each 6 s"))
    }
}
