public import Recording

/// The curve of a search as a picture.
extension BisectionReport {
    /// How many values the axis names.
    private static let ticks = 4

    /// The share of runs that pass over the quantity.
    public var plot: SuccessPlot {
        let command = request.command.joined(separator: " ")
        let network = request.profile ?? request.scenario ?? ""
        let ticks = (0...Self.ticks).map { tick in
            let place = Double(tick) / Double(Self.ticks)
            return (place: place, text: range.text(at: place))
        }
        let crossing = crossingPlace.flatMap { place in
            intervalPlaces.map { ends in
                SuccessPlot.Crossing(
                    place: place, interval: min(ends.good, ends.bad)...max(ends.good, ends.bad))
            }
        }
        return SuccessPlot(
            title: "\(network): \(command)", quantity: request.quantity, sentence: sentence,
            points: points.map { point in
                SuccessPlot.Point(
                    place: point.place,
                    text: "\(point.value.text): \(point.passed) passed, \(point.failed) failed",
                    share: point.share,
                    interval: point.lowRatio...max(point.lowRatio, point.highRatio))
            }, crossing: crossing, ticks: ticks)
    }
}

extension BisectionReport.Point {
    /// The share of the runs that passed.
    var share: Double { Double(passed) / Double(max(1, passed + failed)) }

    /// The share as a bar of text, with its 95 % interval: `|  ====*=  |`.
    public func bar(width: Int) -> String {
        let column = { (share: Double) in Int((share * Double(width - 1)).rounded()) }
        let (low, high, middle) = (column(lowRatio), column(highRatio), column(share))
        return (0..<width).map { index in
            index == middle ? "*" : (low...max(low, high)).contains(index) ? "-" : " "
        }.joined()
    }
}
