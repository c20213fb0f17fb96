import FoundationEssentials

/// What a connection is to send.
struct Outbox {
    /// Content that is sent as a whole.
    struct Message: Sendable {
        var content: Data
        /// Whether nothing follows.
        var isLast: Bool
        var completions: [NWConnection.SendCompletion]

        func complete(_ error: NWError?) {
            for case .contentProcessed(let handler) in completions { handler(error) }
        }
    }

    private var partial: Message?
    private(set) var waiting: [Message] = []
    /// Whether the end was sent, so that nothing can follow.
    private(set) var hasEnded = false
    /// How many blocks of `NWConnection.batch` run; content is not flushed meanwhile.
    var batches = 0

    /// Adds content. Incomplete parts of a datagram wait for the rest.
    mutating func put(_ message: Message, isComplete: Bool, isDatagram: Bool) {
        guard isDatagram else {
            hasEnded = hasEnded || message.isLast
            return waiting.append(message)
        }
        var whole = partial ?? Message(content: Data(), isLast: false, completions: [])
        whole.content.append(message.content)
        whole.completions += message.completions
        partial = isComplete ? nil : whole
        if isComplete { waiting.append(whole) }
    }

    /// Takes what can be sent.
    mutating func take() -> [Message] {
        defer { waiting = [] }
        return waiting
    }

    /// Takes everything, also parts.
    mutating func takeAll() -> [Message] {
        defer { partial = nil }
        return take() + (partial.map { [$0] } ?? [])
    }
}
