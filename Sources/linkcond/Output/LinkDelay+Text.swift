import LinkModel
import LinkUnits
import Verification

extension LinkDelay {
    /// The delay as text, such as `47.2 ms ± 30.1 ms`.
    var text: String { "\(Self.text(mean)) ± \(Self.text(deviation))" }

    /// The mean RTT, if jitter makes it differ from the sum of the delays.
    static func roundTrip(of conditions: LinkConditions) -> String? {
        let ways = [conditions.down, conditions.up]
        let delays = ways.map { LinkDelay(cutIn: $0) }
        guard delays.contains(where: { $0 != nil }) else { return nil }
        let sum = zip(ways, delays).reduce(0) { sum, way in
            sum + (way.1?.mean ?? way.0.delay.milliseconds)
        }
        return text(sum)
    }

    /// Rounded to a tenth of a millisecond.
    private static func text(_ milliseconds: Double) -> String {
        Duration.microseconds(Int64((milliseconds * 10).rounded()) * 100).unitText
    }
}
