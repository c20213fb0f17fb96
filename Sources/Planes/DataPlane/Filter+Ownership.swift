public import TrafficControl

extension Filter {
    /// What stands in every action of linkcond's.
    public static let ownCookie = Array("linkcond".utf8)
}
