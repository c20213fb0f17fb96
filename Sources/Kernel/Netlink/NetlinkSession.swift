import CNetlink
public import SystemPackage

/// A message of a batch that the kernel refused.
public struct BatchFailure: Error, Hashable, Sendable {
    /// The index of the message in the batch.
    public let index: Int
    /// The kernel's reason.
    public let errno: Errno
    /// The kernel's explanation, if it gave one.
    public let kernelText: String?
}

/// Requests and replies over one transport: single requests, dumps, and batches that are sent with
/// one system call.
public final class NetlinkSession {
    private let transport: any NetlinkTransport
    private var lastSequence: UInt32

    /// How many bytes are sent at once. The kernel processes a whole datagram before anybody can
    /// read its replies, which must fit into the receive buffer.
    private static let datagramLimit = 256 * 1024

    /// How many objects are requested at once. Their descriptions take some kilobytes each,
    /// including the kernel's bookkeeping, and must fit even into the receive buffer of an
    /// unprivileged process.
    private static let objectLimit = 32

    /// How many messages were sent, for benchmarks.
    public private(set) var sentMessages = 0
    /// How many datagrams were sent.
    public private(set) var sentDatagrams = 0

    /// Opens a session over a socket of the calling thread's network namespace.
    public convenience init(_ family: NetlinkFamily = .route) throws(NetlinkError) {
        self.init(transport: try NetlinkSocket(family))
    }

    /// Creates a session over `transport` whose message numbers start at `firstSequence`.
    public init(transport: any NetlinkTransport, firstSequence: UInt32 = 1) {
        self.transport = transport
        self.lastSequence = firstSequence &- 1
    }

    /// Sends `messages` together and reports those that the kernel refused, in their order.
    ///
    /// The kernel processes every message even after an error, and undoes nothing.
    public func execute(_ messages: [NetlinkMessage]) throws(NetlinkError) -> [BatchFailure] {
        var failures: [BatchFailure] = []
        var start = 0
        while start < messages.count {
            var datagram: [UInt8] = []
            let firstSequence = lastSequence &+ 1
            var end = start
            while end < messages.count,
                datagram.isEmpty
                    || datagram.count + messages[end].bytes.count <= Self.datagramLimit
            {
                let isLast =
                    end + 1 == messages.count
                    || datagram.count + messages[end].bytes.count
                        + messages[end + 1].bytes.count > Self.datagramLimit
                // The kernel reports errors unasked; one acknowledgement confirms the end of the
                // batch.
                append(messages[end], isAcknowledged: isLast, to: &datagram)
                end += 1
            }
            try send(datagram, count: end - start)
            failures += try answers(from: firstSequence, count: end - start, offset: start)
            start = end
        }
        return failures
    }

    /// Sends one message; throws if the kernel refuses it.
    public func execute(_ message: NetlinkMessage, attempt: String) throws(NetlinkError) {
        if let failure = try execute([message]).first {
            throw NetlinkError(
                attempt: attempt, errno: failure.errno, kernelText: failure.kernelText)
        }
    }

    /// Sends requests for single objects together and returns the reply to each; nil where the
    /// object does not exist.
    public func get(_ requests: [NetlinkMessage]) throws(NetlinkError) -> [NetlinkMessage?] {
        var found: [NetlinkMessage?] = []
        while found.count < requests.count {
            found += try getTogether(requests[found.count...].prefix(Self.objectLimit))
        }
        return found
    }

    private func getTogether(
        _ requests: ArraySlice<NetlinkMessage>
    ) throws(NetlinkError) -> [NetlinkMessage?] {
        var datagram: [UInt8] = []
        let firstSequence = lastSequence &+ 1
        for request in requests { append(request, isAcknowledged: true, to: &datagram) }
        try send(datagram, count: requests.count)
        var found: [NetlinkMessage?] = Array(repeating: nil, count: requests.count)
        var open = requests.count
        while open > 0 {
            for message in NetlinkMessage.messages(in: try transport.receive()) {
                let index = Int(message.sequence &- firstSequence)
                guard index < requests.count else { continue }
                if message.type == NLMSG_ERROR {
                    open -= 1
                } else {
                    found[index] = message
                }
            }
        }
        return found
    }

    /// All objects that match `request`, which gets the flags of a dump.
    ///
    /// Throws `Errno.interrupted` (`EINTR`) if the objects changed during the dump.
    public func dump(_ request: NetlinkMessage, attempt: String) throws(NetlinkError)
        -> [NetlinkMessage]
    {
        // The kernel marks a dump as inconsistent if objects changed meanwhile; repeating it helps.
        for _ in 0..<10 {
            do {
                return try dumpOnce(request, attempt: attempt)
            } catch {
                guard error.errno == .interrupted else { throw error }
            }
        }
        throw NetlinkError(
            attempt: attempt, errno: .interrupted,
            kernelText: "the network keeps changing; try again")
    }

    private func dumpOnce(_ request: NetlinkMessage, attempt: String) throws(NetlinkError)
        -> [NetlinkMessage]
    {
        var request = request
        request.flags |= UInt16(NLM_F_DUMP)
        var datagram: [UInt8] = []
        append(request, isAcknowledged: false, to: &datagram)
        try send(datagram, count: 1)
        var objects: [NetlinkMessage] = []
        var isInterrupted = false
        while true {
            for message in NetlinkMessage.messages(in: try transport.receive())
            where message.sequence == lastSequence {
                isInterrupted = isInterrupted || message.flags & UInt16(NLM_F_DUMP_INTR) != 0
                switch Int32(message.type) {
                case NLMSG_ERROR:
                    let (errno, text) = Self.error(in: message)
                    throw NetlinkError(attempt: attempt, errno: errno, kernelText: text)
                case NLMSG_DONE:
                    guard !isInterrupted else {
                        throw NetlinkError(attempt: attempt, errno: .interrupted)
                    }
                    return objects
                default:
                    objects.append(message)
                }
            }
        }
    }

    private func append(
        _ message: NetlinkMessage, isAcknowledged: Bool, to datagram: inout [UInt8]
    ) {
        var message = message
        lastSequence &+= 1
        message.sequence = lastSequence
        if isAcknowledged { message.flags |= UInt16(NLM_F_ACK) }
        datagram += message.bytes
        datagram += Array(repeating: 0, count: datagram.count.alignedForNetlink - datagram.count)
    }

    private func send(_ datagram: [UInt8], count: Int) throws(NetlinkError) {
        try transport.send(datagram)
        sentDatagrams += 1
        sentMessages += count
    }

    /// Reads until the last message has its reply.
    private func answers(
        from first: UInt32, count: Int, offset: Int
    ) throws(NetlinkError) -> [BatchFailure] {
        var failures: [BatchFailure] = []
        while true {
            for message in NetlinkMessage.messages(in: try transport.receive())
            where message.type == NLMSG_ERROR {
                let index = Int(message.sequence &- first)
                guard index < count else { continue }
                let (errno, text) = Self.error(in: message)
                if errno.rawValue != 0 {
                    failures.append(
                        BatchFailure(index: offset + index, errno: errno, kernelText: text))
                }
                if index == count - 1 { return failures }
            }
        }
    }

    /// The error number of an `NLMSG_ERROR` message (zero for an acknowledgement) and its text.
    private static func error(in message: NetlinkMessage) -> (Errno, String?) {
        guard let (fixed, rest) = message.parse(nlmsgerr.self) else { return (.ioError, nil) }
        let errno = Errno(rawValue: 0 &- fixed.error)
        // Without NLM_F_CAPPED the refused request precedes the explanation.
        var attributes = rest
        if message.flags & UInt16(NLM_F_CAPPED) == 0 {
            let skipped =
                NetlinkMessage.headerLength + MemoryLayout<Int32>.size
                + Int(fixed.msg.nlmsg_len).alignedForNetlink
            attributes = Attributes(message.bytes.dropFirst(skipped))
        }
        return (errno, attributes.string(Int(NLMSGERR_ATTR_MSG.rawValue)))
    }
}
