import LinuxKernel
import SystemPackage
import Uplink

/// Asks one question of a name server by TCP (RFC 1035, section 4.2.2), over a connection of its own:
/// there are servers that close it after the first answer.
final class NameStreamQuestion: EventTarget {
    private let context: EndpointContext
    private let socket: StreamSocket
    private var token: UInt64 = 0
    private let question: [UInt8]
    private var sent = 0
    private var received: [UInt8] = []
    private var completion: (([UInt8]?, Duration) -> Void)?

    /// Starts to connect.
    ///
    /// - Parameters:
    ///   - question: A message behind its length.
    ///   - completion: Called once with the first message that comes, or nil if none will. How long
    ///     that takes is limited by whoever asks.
    init(
        _ question: [UInt8], to server: Endpoint, _ context: EndpointContext,
        completion: @escaping ([UInt8]?, Duration) -> Void
    ) throws(Errno) {
        (self.question, self.context) = (question, context)
        socket = try StreamSocket(connectingTo: server)
        token = try context.events.watch(socket.descriptor, .edge, for: self)
        self.completion = completion
    }

    func handle(_ event: EventQueue.Event, at now: Duration) {
        do throws(Errno) {
            // While it connects, neither is possible.
            try send()
            if let message = try receive() { finish(message, at: now) }
        } catch {
            if error != .wouldBlock { finish(nil, at: now) }
        }
    }

    /// Waits no more, and tells nobody.
    func cancel() {
        completion = nil
        context.events.forget(token)
    }

    private func send() throws(Errno) {
        while sent < question.count {
            sent += try socket.send(question, sent..<question.count)
        }
    }

    /// The first message, once it is complete.
    private func receive() throws(Errno) -> [UInt8]? {
        while true {
            let room = context.room
            let count = try socket.receive(into: &room.bytes, limit: room.bytes.count)
            // It has ended before it had answered.
            guard count > 0 else { throw .connectionReset }
            received += room.bytes.prefix(count)
            if let message = DNSMessage.takeMessages(from: &received).first { return message }
        }
    }

    private func finish(_ message: [UInt8]?, at now: Duration) {
        let completion = self.completion
        cancel()
        completion?(message, now)
    }
}
