import Glibc
public import Netlink
public import SystemPackage

/// A kernel made of a closure: it answers each request with what the closure returns.
///
/// It knows netlink by itself and nothing of the module under test, which it could otherwise
/// only agree with.
public final class FakeTransport: NetlinkTransport {
    /// One message of a datagram that was sent.
    public struct Request: Hashable, Sendable {
        /// The whole message.
        public let bytes: [UInt8]
        /// Its place among all messages that were ever sent.
        public let number: Int

        /// What it is, such as `RTM_NEWQDISC`.
        public var type: UInt16 { bytes.read(at: 4) }
        /// Its flags.
        public var flags: UInt16 { bytes.read(at: 6) }
        /// Its number by which answers name it.
        public var sequence: UInt32 { bytes.read(at: 8) }
        /// Whether it asks for an answer even to success.
        public var isAcknowledged: Bool { flags & UInt16(NLM_F_ACK) != 0 }
    }

    /// What the kernel says to a request.
    public enum Reply: Sendable {
        /// Done; said only if the request asks for it.
        case success
        /// Refused. Capped answers do not repeat the request.
        case refusal(Errno, text: String? = nil, isCapped: Bool = true)
        /// An object, such as an `RTM_NEWLINK`, with flags, and the answer's own bytes.
        case object(type: Int, flags: Int = 0, payload: [UInt8])
        /// The end of a dump.
        case done(flags: Int = 0)
        /// An answer that belongs to another request.
        case stray(sequence: UInt32)
    }

    /// All datagrams that were sent.
    public private(set) var datagrams: [[UInt8]] = []
    /// All messages that were sent.
    public private(set) var requests: [Request] = []
    /// What is received next; tests may add to it.
    public var inbox: [[UInt8]] = []
    /// What `receive` throws once when the inbox is empty.
    public var failure: NetlinkError?
    /// Whether all answers to a datagram come in one, as those of a dump do.
    public var joinsAnswers = false

    private let answer: (Request) -> [Reply]

    /// Makes a kernel; without an argument one that does everything it is asked for.
    public init(answer: @escaping (Request) -> [Reply] = { _ in [.success] }) {
        self.answer = answer
    }

    /// Takes a datagram and puts the answers into the inbox.
    public func send(_ bytes: [UInt8]) throws(NetlinkError) {
        datagrams.append(bytes)
        var answers: [[UInt8]] = []
        for message in Self.split(bytes) {
            let request = Request(bytes: message, number: requests.count)
            requests.append(request)
            for reply in answer(request) {
                if let bytes = Self.bytes(reply, to: request) { answers.append(bytes) }
            }
        }
        inbox += joinsAnswers ? [answers.flatMap { $0 }] : answers
    }

    /// The next datagram. There is nobody to wait for: an empty inbox is an error.
    public func receive() throws(NetlinkError) -> [UInt8] {
        if inbox.isEmpty {
            defer { failure = nil }
            throw failure ?? NetlinkError(attempt: "wait for ever", errno: .deadlock)
        }
        return inbox.removeFirst()
    }

    /// The messages of a datagram, by their lengths.
    public static func split(_ datagram: [UInt8]) -> [[UInt8]] {
        var messages: [[UInt8]] = []
        var rest = datagram[...]
        while rest.count >= 16 {
            let length = Int(Array(rest).read(at: 0) as UInt32)
            guard length >= 16, length <= rest.count else { break }
            messages.append(Array(rest.prefix(length)))
            rest = rest.dropFirst((length + 3) & ~3)
        }
        return messages
    }

    private static func bytes(_ reply: Reply, to request: Request) -> [UInt8]? {
        switch reply {
        case .success:
            guard request.isAcknowledged else { return nil }
            return message(
                type: NLMSG_ERROR, flags: NLM_F_CAPPED, sequence: request.sequence,
                payload: [0, 0, 0, 0] + request.bytes.prefix(16))
        case .refusal(let errno, let text, let isCapped):
            let code = withBytes(of: -errno.rawValue)
            let echo = isCapped ? request.bytes.prefix(16) : request.bytes[...]
            return message(
                type: NLMSG_ERROR,
                flags: (isCapped ? NLM_F_CAPPED : 0) | (text == nil ? 0 : NLM_F_ACK_TLVS),
                sequence: request.sequence,
                payload: code + echo.padded
                    + (text.map { attribute(1, Array($0.utf8) + [0]) } ?? [])
            )
        case .object(let type, let flags, let payload):
            return message(
                type: type, flags: flags | NLM_F_MULTI, sequence: request.sequence,
                payload: payload)
        case .done(let flags):
            return message(
                type: NLMSG_DONE, flags: flags | NLM_F_MULTI, sequence: request.sequence,
                payload: [0, 0, 0, 0])
        case .stray(let sequence):
            return message(
                type: NLMSG_ERROR, flags: NLM_F_CAPPED, sequence: sequence,
                payload: withBytes(of: -EPERM) + request.bytes.prefix(16))
        }
    }

    /// A message as the kernel writes it.
    public static func message(
        type: Int, flags: Int = 0, sequence: UInt32 = 0, payload: [UInt8]
    ) -> [UInt8] {
        withBytes(of: UInt32(16 + payload.count)) + withBytes(of: UInt16(type))
            + withBytes(of: UInt16(flags)) + withBytes(of: sequence) + withBytes(of: UInt32(0))
            + payload
    }

    /// An attribute as the kernel writes it, padding included.
    public static func attribute(_ type: Int, _ value: [UInt8]) -> [UInt8] {
        (withBytes(of: UInt16(4 + value.count)) + withBytes(of: UInt16(type)) + value)[...].padded
    }

    /// The bytes of a number in the order of the host.
    public static func withBytes(of value: some FixedWidthInteger) -> [UInt8] {
        unsafe withUnsafeBytes(of: value) { unsafe Array($0) }
    }
}

extension ArraySlice<UInt8> {
    fileprivate var padded: [UInt8] { Array(self) + Array(repeating: 0, count: -count & 3) }
}

extension [UInt8] {
    /// The number in the order of the host that stands at `offset`; zero behind the end.
    public func read<Value: FixedWidthInteger>(at offset: Int, as _: Value.Type = Value.self)
        -> Value
    {
        var value = Value.zero
        for index in 0..<MemoryLayout<Value>.size where offset + index < count {
            value |= Value(truncatingIfNeeded: self[offset + index]) << (8 * index)
        }
        return value
    }
}

/// Constants of `linux/netlink.h`, spelled out here: the fake is a second witness.
private let NLM_F_ACK = 4
private let NLM_F_MULTI = 2, NLM_F_CAPPED = 0x100, NLM_F_ACK_TLVS = 0x200
private let NLMSG_ERROR = 2, NLMSG_DONE = 3

extension FakeTransport {
    /// The attributes that stand one behind the other in `bytes`, with the flags of their types.
    public static func attributes(of bytes: [UInt8]) -> [(type: Int, value: [UInt8])] {
        var attributes: [(Int, [UInt8])] = []
        var rest = bytes[...]
        while rest.count >= 4 {
            let header = Array(rest.prefix(4))
            let length = Int(header.read(at: 0, as: UInt16.self))
            guard length >= 4, length <= rest.count else { break }
            attributes.append(
                (
                    Int(header.read(at: 2, as: UInt16.self)),
                    Array(rest.prefix(length).dropFirst(4))
                ))
            rest = rest.dropFirst((length + 3) & ~3)
        }
        return attributes
    }
}
