public import TrafficControl

extension Filter {
    /// The cookie of every action that linkcond adds.
    public static let ownCookie = Array("linkcond".utf8)
}
