import LinkUnits

/// Whether a NAT gives new ports by itself.
package enum RebindingFact: Sendable, Hashable {
    /// The port outside stayed the same.
    case none
    /// It changes about this often.
    case every(Duration)
    /// It changed, and then no more: by itself, or because nothing was sent for a while.
    case once
    case unknown(String)

    /// What follows from a socket that was used all the time.
    ///
    /// - Parameters:
    ///   - wasChanged: whether its port had changed before that.
    ///   - changes: when it changed, in order.
    package init(wasChanged: Bool, changes: [Duration]) {
        guard changes.count > 1, let first = changes.first, let last = changes.last else {
            self = wasChanged || !changes.isEmpty ? .once : .none
            return
        }
        let interval = (last - first) / (changes.count - 1)
        // To a tenth of a second, which is the shortest interval of a profile as well.
        let tenths = max(1, Int64((interval / .milliseconds(100)).rounded()))
        self = .every(.milliseconds(tenths * 100))
    }

    /// Whether the port has changed.
    var isSeen: Bool { self == .once || interval != nil }

    /// How often; nil if that is not known.
    var interval: Duration? {
        if case .every(let interval) = self { return interval }
        return nil
    }
}
