import FoundationEssentials
import Glibc

/// What a connection has received, and who asked for it.
struct Inbox {
    /// Receives content, whether it is complete, and an error.
    typealias Completion =
        @Sendable (Data?, NWConnection.ContentContext?, Bool, NWError?) -> Void

    /// A request for content.
    struct Request {
        /// The least that a stream delivers before its end.
        var minimum: Int
        var maximum: Int
        /// Whether it asks for a whole message; of a stream, all until its end.
        var isMessage = false
        var completion: Completion
    }

    /// The answer to a request.
    struct Delivery: Sendable {
        var content: Data?
        var context: NWConnection.ContentContext?
        var isComplete = false
        var error: NWError?
        var completion: Completion

        func callAsFunction() { completion(content, context, isComplete, error) }
    }

    /// How many datagrams wait; more are lost, as in the kernel.
    private static let datagramLimit = 1024

    let isDatagram: Bool
    private var stream = Data()
    private var datagrams: [Data] = []
    private var requests: [Request] = []
    private var isEnded = false
    private var hasToldEnd = false
    private var failure: NWError?

    init(isDatagram: Bool) { self.isDatagram = isDatagram }

    /// Whether more is to be read from the network.
    var wantsMore: Bool { !requests.isEmpty && !isEnded && failure == nil }

    mutating func ask(_ request: Request) { requests.append(request) }

    mutating func put(_ data: Data) {
        if !isDatagram {
            stream.append(data)
        } else if datagrams.count < Self.datagramLimit {
            datagrams.append(data)
        }
    }

    /// The other end sends nothing more.
    mutating func end() { isEnded = true }

    /// Nothing more will come, because of an error. What has arrived is still delivered.
    mutating func fail(_ error: NWError) { failure = failure ?? error }

    /// Discards what has arrived.
    mutating func discard() { (stream, datagrams) = (Data(), []) }

    /// The answers that can be given now.
    mutating func takeDeliveries() -> [Delivery] {
        var deliveries: [Delivery] = []
        while let request = requests.first, let delivery = answer(request) {
            requests.removeFirst()
            deliveries.append(delivery)
        }
        return deliveries
    }

    private mutating func answer(_ request: Request) -> Delivery? {
        var delivery = Delivery(completion: request.completion)
        if isDatagram, !datagrams.isEmpty {
            takeDatagram(request, into: &delivery)
            return delivery
        }
        let isEnough = stream.count >= max(1, request.minimum) && !request.isMessage
        if isEnough || !stream.isEmpty && (isEnded || failure != nil) {
            let count = request.isMessage ? stream.count : min(stream.count, request.maximum)
            delivery.content = Data(stream.prefix(count))
            stream = Data(stream.dropFirst(count))
            delivery.isComplete = isEnded && stream.isEmpty
            delivery.context = delivery.isComplete ? .finalMessage : .defaultStream
            hasToldEnd = hasToldEnd || delivery.isComplete
            return delivery
        }
        if let failure {
            delivery.error = failure
            return delivery
        }
        guard isEnded else { return nil }
        (delivery.context, delivery.isComplete) = (.finalMessage, true)
        // The end is told once.
        delivery.error = hasToldEnd ? .posix(.ENODATA) : nil
        hasToldEnd = true
        return delivery
    }

    /// Delivers a datagram, in parts if it is larger than asked for.
    private mutating func takeDatagram(_ request: Request, into delivery: inout Delivery) {
        let datagram = datagrams[0]
        let isWhole = request.isMessage || datagram.count <= request.maximum
        delivery.context = .defaultMessage
        delivery.isComplete = isWhole
        delivery.content = isWhole ? datagram : Data(datagram.prefix(request.maximum))
        if isWhole {
            datagrams.removeFirst()
        } else {
            datagrams[0] = Data(datagram.dropFirst(request.maximum))
        }
    }
}
