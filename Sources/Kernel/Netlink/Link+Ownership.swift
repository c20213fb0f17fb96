extension Link {
    /// The group of all interfaces that linkcond adds to a host.
    public static let ownGroup: UInt32 = 7181

    /// Whether linkcond made it.
    public var isOwn: Bool { group == Self.ownGroup }
}
