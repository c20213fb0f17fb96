/// Messages by TCP, where each follows its length (RFC 1035, section 4.2.2).
extension DNSMessage {
    /// A message as a stream carries it.
    package static func framed(_ message: [UInt8]) -> [UInt8] {
        big(UInt16(truncatingIfNeeded: message.count)) + message
    }

    /// Takes the messages out that are complete.
    package static func takeMessages(from stream: inout [UInt8]) -> [[UInt8]] {
        var messages: [[UInt8]] = []
        var start = 0
        while start + 2 <= stream.count {
            let end = start + 2 + Int(stream.span.word(at: start))
            guard end <= stream.count else { break }
            messages.append(Array(stream[(start + 2)..<end]))
            start = end
        }
        stream.removeFirst(start)
        return messages
    }
}
