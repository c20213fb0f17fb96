import LinuxKernel

/// The file descriptors that the engine may have open: each interface takes some, and so does whoever
/// asks it something. An engine without any left could not even be told to end.
enum EngineDescriptors {
    /// For all the conditions that there may be, whatever whoever applied the first may have.
    private static let wanted = 16_384
    /// For itself, one interface, and clients.
    private static let fewest = 64
    /// What an interface takes, and somewhat more.
    private static let forInterface = 20
    /// For clients.
    private static let reserve = 24

    /// Raises the limit as far as that is possible. At the start.
    static func secure() throws(EngineError) {
        let limit = (try? DescriptorLimit.raise(toAtLeast: wanted)) ?? DescriptorLimit.current
        guard limit >= fewest else { throw refusal(limit, "\(fewest)") }
    }

    /// Checks that there are enough for conditions of so many interfaces more.
    static func check(forNew count: Int) throws(EngineError) {
        let limit = DescriptorLimit.current
        // Counting takes a system call for each.
        guard limit < wanted, count > 0 else { return }
        let inUse = DescriptorLimit.inUse
        guard limit - inUse < count * forInterface + reserve else { return }
        throw refusal(limit, "more")
    }

    private static func refusal(_ limit: Int, _ needed: String) -> EngineError {
        EngineError(
            "the packet engine needs \(needed) descriptors, and may have \(limit) open, as whoever "
                + "applied the first conditions; linkcond clear, allow more with ulimit -n, and "
                + "apply again", fault: .unavailable)
    }
}
