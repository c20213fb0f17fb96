import LinuxKernel
import NIOCore
import NIOPosix
import ProxyControl
import Synchronization
import SystemPackage

/// A program whose lines several listeners get; it ends when the last of them leaves.
final class LineFeed: Sendable {
    private struct State {
        var listeners: [Int: AsyncStream<String>.Continuation] = [:]
        var next = 0
        /// For those who come between two lines.
        var last: String?
        var hasEnded = false
    }

    private let state = Mutex(State())
    private let channel: any Channel

    /// How long a program may take to notice that nobody listens.
    private static let endTime = Duration.seconds(10)

    private init(_ channel: any Channel) {
        self.channel = channel
    }

    /// Whether there are no more lines.
    var hasEnded: Bool { state.withLock(\.hasEnded) }

    /// Starts the program, which reads until this end of its standard input is closed.
    static func start(
        _ path: String, _ arguments: [String], on group: any EventLoopGroup
    ) async throws -> LineFeed {
        let input = try PipeEnds()
        let output = try PipeEnds()
        var program = CommandLineHost.program(path, arguments)
        program.streams = [input.reader, output.writer]
        let started = Result { try program.start() }
        try input.reader.close()
        try output.writer.close()
        // The lines of a program that did not start end at once.
        let channel = try await NIOPipeBootstrap(group: group)
            .channelOption(.autoRead, value: false)
            .takingOwnershipOfDescriptors(
                input: output.reader.rawValue, output: input.writer.rawValue
            ).get()
        let feed = LineFeed(channel)
        let process: Int32
        do {
            process = try started.get()
        } catch {
            try? await channel.close()
            throw error
        }
        channel.closeFuture.whenComplete { _ in
            feed.end()
            Task { await ChildEnd(of: process).wait(killingAfter: Self.endTime) }
        }
        try await channel.eventLoop.submit {
            try channel.pipeline.syncOperations.addHandler(LineReader { feed.publish($0) })
        }.get()
        try await channel.setOption(.autoRead, value: true).get()
        return feed
    }

    /// The lines from now on, of which the first is the last one before; nil if the program has ended.
    func listen() -> AsyncStream<String>? {
        // Each line is the whole state: who is slow gets the newest.
        let (stream, continuation) = AsyncStream.makeStream(
            of: String.self, bufferingPolicy: .bufferingNewest(1))
        let number = state.withLock { state -> Int? in
            guard !state.hasEnded else { return nil }
            state.next += 1
            state.listeners[state.next] = continuation
            if let last = state.last { continuation.yield(last) }
            return state.next
        }
        guard let number else { return nil }
        continuation.onTermination = { [self] _ in leave(number) }
        return stream
    }

    private func leave(_ number: Int) {
        let isLast = state.withLock { state in
            guard state.listeners.removeValue(forKey: number) != nil, !state.hasEnded else {
                return false
            }
            // Whoever comes now starts another one.
            state.hasEnded = state.listeners.isEmpty
            return state.hasEnded
        }
        if isLast { channel.close(promise: nil) }
    }

    private func publish(_ line: String) {
        let listeners = state.withLock { state in
            state.last = line
            return Array(state.listeners.values)
        }
        for listener in listeners { listener.yield(line) }
    }

    private func end() {
        let listeners = state.withLock { state in
            state.hasEnded = true
            defer { state.listeners = [:] }
            return Array(state.listeners.values)
        }
        for listener in listeners { listener.finish() }
    }
}

/// Makes lines of bytes.
final class LineReader: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    /// The state of a thousand interfaces fits.
    private static let longestLine = 16 << 20

    private var lines = LineCollector(limit: longestLine)
    private let onLine: (String) -> Void

    init(onLine: @escaping (String) -> Void) {
        self.onLine = onLine
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard let lines = lines.add(unwrapInboundIn(data).readableBytesView) else {
            return context.close(promise: nil)
        }
        for line in lines { onLine(String(decoding: line, as: UTF8.self)) }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.close(promise: nil)
    }
}
