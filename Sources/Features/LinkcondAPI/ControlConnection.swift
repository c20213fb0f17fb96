import NIOCore
import NIOPosix
import ProxyAPI
import ProxyControl
import Synchronization

/// The connection to the proxy that started this program.
final class ControlConnection: ProxyController {
    private struct State {
        var next: UInt64 = 0
        var waiting: [UInt64: CheckedContinuation<ProxyReply, Never>] = [:]
        var isOpen = true
    }

    private static let lost = ProxyReply.failed(
        ControlError(.failed, "the proxy has ended, and this API ends, too"))

    private let state = Mutex(State())
    private let channel: any Channel

    private init(_ channel: any Channel) {
        self.channel = channel
    }

    /// Adopts a connected socket.
    ///
    /// - Parameters:
    ///   - onEvent: Takes the proxy's events, in their order.
    ///   - onEnd: Called when the proxy closes the connection.
    static func adopt(
        _ descriptor: CInt, on group: any EventLoopGroup,
        onEvent: @escaping @Sendable (ProxyReply) -> Void, onEnd: @escaping @Sendable () -> Void
    ) async throws -> ControlConnection {
        let channel = try await ClientBootstrap(group: group)
            .channelOption(.autoRead, value: false)
            .withConnectedSocket(descriptor).get()
        let connection = ControlConnection(channel)
        try await channel.eventLoop.submit {
            try channel.pipeline.syncOperations.addHandler(
                AnswerReader(
                    onAnswer: { answer in
                        if let number = answer.number {
                            connection.resume(number, with: answer.content)
                        } else {
                            onEvent(answer.content)
                        }
                    }))
        }.get()
        channel.closeFuture.whenComplete { _ in
            connection.fail()
            onEnd()
        }
        try await channel.setOption(.autoRead, value: true).get()
        channel.read()
        return connection
    }

    func send(_ request: ProxyRequest) async throws(ControlError) -> ProxyReply {
        await withCheckedContinuation { continuation in
            let number = state.withLock { state -> UInt64? in
                guard state.isOpen else { return nil }
                state.next += 1
                state.waiting[state.next] = continuation
                return state.next
            }
            guard let number else { return continuation.resume(returning: Self.lost) }
            do {
                let line = try ControlLine.encode(ControlCall(number, request))
                guard line.count <= ControlLine.longestCall else {
                    throw ControlError(.badCall, "the request is too long for the proxy")
                }
                channel.writeAndFlush(ByteBuffer(bytes: line), promise: nil)
            } catch {
                let reason = error as? ControlError ?? ControlError(.badCall, "\(error)")
                resume(number, with: .failed(reason))
            }
        }
    }

    private func resume(_ number: UInt64, with reply: ProxyReply) {
        state.withLock { $0.waiting.removeValue(forKey: number) }?.resume(returning: reply)
    }

    private func fail() {
        let waiting = state.withLock { state in
            state.isOpen = false
            defer { state.waiting = [:] }
            return state.waiting.values
        }
        for continuation in waiting { continuation.resume(returning: Self.lost) }
    }
}

/// Reads the proxy's answers.
private final class AnswerReader: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    /// Thousands of listeners fit.
    private static let longestAnswer = 64 << 20

    private var lines = LineCollector(limit: longestAnswer)
    private let onAnswer: (ControlAnswer) -> Void

    init(onAnswer: @escaping (ControlAnswer) -> Void) {
        self.onAnswer = onAnswer
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard let lines = lines.add(unwrapInboundIn(data).readableBytesView) else {
            context.close(promise: nil)
            return
        }
        for line in lines {
            do {
                onAnswer(try ControlLine.decode(ControlAnswer.self, from: line))
            } catch {
                // A proxy of another version: without the answer, somebody would wait forever.
                context.close(promise: nil)
            }
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.close(promise: nil)
    }
}
