import Foundation
import LinkTesting
import Recording
import Testing

@Suite("Success plot", .tags(.unit)) struct SuccessPlotTests {
    @Test func `a curve with its crossing is drawn as it always was`() throws {
        let points = [(0.0, 1.0), (0.4, 0.8), (0.5, 0.4), (1, 0)].map { place, share in
            SuccessPlot.Point(
                place: place, text: "\(place): <\(share)>", share: share,
                interval: max(0, share - 0.2)...min(1, share + 0.2))
        }
        let plot = SuccessPlot(
            title: "LTE: curl a&b", quantity: "down.bandwidth",
            sentence: "Half of the runs fail at 1.2 Mbit/s; with more time the answer is narrower.",
            points: points, crossing: SuccessPlot.Crossing(place: 0.47, interval: 0.4...0.5),
            ticks: [(0, "10 Mbit/s"), (0.5, "1 Mbit/s"), (1, "100 kbit/s")])
        if let directory = ProcessInfo.processInfo.environment["LINKCOND_SCREENSHOTS"] {
            try plot.html.write(
                toFile: "\(directory)/success.html", atomically: true, encoding: .utf8)
        }
        try Golden("success.svg").expect(plot.svg)
    }

    @Test func `a search without any run is drawn, too`() {
        let plot = SuccessPlot(
            title: "", quantity: "loss", sentence: "", points: [], crossing: nil, ticks: [])
        #expect(plot.html.contains("</svg>"))
        #expect(!plot.svg.contains("class=\"t-half\""))
    }
}
