/// Counts how often the app asks something of the network: a request of HTTP/1.1, a look-up of a
/// name, a handshake of TLS.
///
/// A request begins with data that the app sends first on a TCP connection, or after it has received
/// some; what more it sends without an answer belongs to the same request. Over UDP, a pair of
/// addresses and ports counts once.
struct RequestMeter {
    /// The last request of a flow.
    private struct Flow {
        var number: UInt32
        /// What the app had received of the connection; nil: it has sent nothing yet.
        var acknowledged: UInt32?
    }

    /// More flows than this at the same time may be counted again.
    private static let slots = 4096

    private var flows: [Flow?] = []

    /// Takes the next packet of the app, and returns whether it begins a request.
    mutating func take(_ headers: FrameHeaders) -> Bool {
        guard headers.isRequest, headers.transport != nil,
            [FrameHeaders.tcp, FrameHeaders.udp].contains(headers.transportProtocol)
        else { return false }
        if flows.isEmpty { flows = Array(repeating: nil, count: Self.slots) }
        let slot = Int(headers.flow) % Self.slots
        let known = flows[slot].flatMap { $0.number == headers.flow ? $0 : nil }
        if headers.transportProtocol == FrameHeaders.udp {
            flows[slot] = Flow(number: headers.flow)
            return known == nil
        }
        // Nil for a segment that opens the connection.
        let acknowledged = headers.acknowledged
        if let acknowledged, let last = known?.acknowledged,
            Int32(bitPattern: acknowledged &- last) <= 0
        {
            return false
        }
        flows[slot] = Flow(number: headers.flow, acknowledged: acknowledged)
        return acknowledged != nil
    }
}
