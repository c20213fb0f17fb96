import LinuxKernel

/// Has idle processors wake up quickly while packets are on the link, and shortly after.
struct WakeUpRequest: ~Copyable {
    /// How long packets may be far between without a new request for each.
    static let linger = Duration.milliseconds(100)

    private let request: QuickWakeUps?
    /// While it is effective: its end, unless more packets come.
    private(set) var end: Duration?

    init(_ request: consuming QuickWakeUps?) {
        self.request = request
    }

    /// Takes note that packets are on the link now, or that none are.
    mutating func update(hasPackets: Bool, at now: Duration) {
        guard request != nil else { return }
        if hasPackets {
            if end == nil { request?.set(isEffective: true) }
            end = now + Self.linger
        } else if let end, end <= now {
            request?.set(isEffective: false)
            self.end = nil
        }
    }
}
