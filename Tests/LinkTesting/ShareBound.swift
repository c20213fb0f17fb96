/// How far a share of `count` independent trials with this probability may be off: 3.89
/// deviations, which one seed in 10,000 exceeds.
package func shareBound(_ probability: Double, count: Int) -> Double {
    3.89 * (probability * (1 - probability) / Double(count)).squareRoot()
}
