import LinkUnits
import Recording

extension Duration {
    /// The length for people: `840 ms`, `12.6 s`.
    package var readableText: String {
        self < .milliseconds(10) && self > .zero
            ? "\(milliseconds.roundedText) ms" : (self / .seconds(1)).secondsText
    }

    /// The length in seconds, for JSON.
    var seconds: Double { Double(wholeNanoseconds) / 1e9 }
}
