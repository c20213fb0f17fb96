/// A request and its response: what the client of a connection sends until it has the answer.
struct Exchange {
    /// Its number on the connection, from 0.
    var index: Int
    var start: Duration
    /// When the first byte of the final answer arrived.
    var firstByte: Duration?
    /// When the last byte of the response arrived, so far.
    var end: Duration?
    var requestBytes = 0
    /// With those of interim answers.
    var responseBytes = 0
    /// How many of these are interim answers, which come first.
    private var interimBytes = 0
    /// The position in the response's stream up to which there are only interim answers.
    var interimEnd: Int?
    /// Its first and last packet in the capture.
    var packets: ClosedRange<Int>
    var request: HTTPHead?
    var response: HTTPHead?
    /// The beginnings of both, until they are read.
    var requestHead: [UInt8]? = []
    var responseHead: [UInt8]? = []
    /// How long the connection was idle before.
    var idle: Duration
    /// The most bytes that were under way at once.
    var mostInFlight = 0
    /// How long the bottleneck took for the packets of the request and of the response.
    var requestTransmission = Duration.zero
    var responseTransmission = Duration.zero
    /// Whether bytes of it were sent again, and whether all its losses were in the queue.
    var hasLosses = false
    var hasOnlyQueueLosses = true
    /// How many bytes each end had under way at once before, if it still knows.
    var windows: (request: Int, response: Int) = (0, 0)
    /// What was waited for until the end of the response.
    var path: CriticalPath?

    /// Longer heads are not read.
    private static let longestHead = 16 << 10

    init(index: Int, start: Duration, packet: Int, idle: Duration) {
        self.index = index
        self.start = start
        self.idle = max(.zero, idle)
        packets = packet...packet
    }

    /// Takes sent bytes of the request or of the response.
    mutating func take(_ packet: CapturedPacket, isRequest: Bool) {
        packets = min(packets.lowerBound, packet.number)...max(packets.upperBound, packet.number)
        if let drop = packet.fate.drop {
            hasLosses = true
            if drop != .queueFull, drop != .managed { hasOnlyQueueLosses = false }
        }
        if isRequest {
            requestBytes += packet.payloadLength
            requestTransmission += packet.fate.transmission ?? .zero
            _ = Self.read(packet.payload, &requestHead, &request, isRequest: true)
        } else {
            responseBytes += packet.payloadLength
            responseTransmission += packet.fate.transmission ?? .zero
            readResponse(packet.payload)
        }
    }

    private mutating func readResponse(_ payload: [UInt8]) {
        var bytes = payload
        while let rest = Self.read(bytes, &responseHead, &response, isRequest: false),
            let interim = response, interim.isInterim
        {
            // The final answer follows, perhaps in the same packet.
            interimBytes += interim.length ?? 0
            (response, responseHead) = (nil, [])
            bytes = rest
        }
    }

    /// Whether its final answer has begun.
    var isAnswered: Bool {
        // The end of an interim answer may be in the next packet.
        let isInInterim = response?.isInterim == true && responseHead != nil
        return responseBytes > interimBytes && !isInInterim
    }

    /// Whether the client's next bytes are the rest of its request, which was answered early.
    func isContinued(by payload: [UInt8]) -> Bool {
        guard let whole = request?.messageLength, requestBytes < whole else { return false }
        return HTTPHead(payload, isRequest: true) == nil
    }

    /// The exchange with the packets of what was taken for another one.
    func extended(by other: Exchange) -> Exchange {
        var whole = self
        whole.requestBytes += other.requestBytes
        whole.responseBytes += other.responseBytes
        whole.requestTransmission += other.requestTransmission
        whole.responseTransmission += other.responseTransmission
        whole.packets =
            packets.lowerBound...max(packets.upperBound, other.packets.upperBound)
        whole.end = other.end ?? end
        whole.path = other.path ?? path
        return whole
    }

    /// Takes bytes of the response that have arrived.
    mutating func arrive(_ arrival: Arrival) {
        firstByte = firstByte ?? arrival.time
        end = arrival.time
        path = arrival.path
    }

    /// Reads on in a head; returns what follows it, or nil as long as its end was not seen.
    private static func read(
        _ payload: [UInt8], _ buffer: inout [UInt8]?, _ head: inout HTTPHead?, isRequest: Bool
    ) -> [UInt8]? {
        guard var bytes = buffer else { return nil }
        bytes += payload
        let found = HTTPHead(bytes, isRequest: isRequest)
        if let found { head = found }
        // A first line that is not yet whole is worth waiting for.
        let isHopeless = found == nil && bytes.prefix(2000).contains(10)
        let isDone = found?.length != nil || isHopeless || bytes.count > longestHead
        buffer = isDone ? nil : bytes
        return found?.length.map { Array(bytes[$0...]) }
    }
}
