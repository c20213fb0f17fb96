import HTTPAPI
import JSONReading
import ProxyControl
import Synchronization

/// Hands the proxy's events to the clients of `/v1/events`.
final class EventHub: Sendable {
    /// The shortest interval of counters, in milliseconds.
    static let shortestInterval = 50
    /// The most clients at once.
    static let mostClients = 64
    /// The most events that wait for a slow client; one that has more ends, and may come again.
    private static let mostWaiting = 1024
    /// The time after which a comment shows that the connection is alive.
    private static let heartbeat = Duration.seconds(15)

    private struct Client {
        var stream: AsyncStream<String>.Continuation
        var interval: Int?
    }

    private struct Clients {
        var next = 0
        var all: [Int: Client] = [:]
        /// The proxy tells counters as often as the most eager client wants.
        var interval: Int? { all.values.compactMap(\.interval).min() }
    }

    private let clients = Mutex(Clients())
    private let proxy: any ProxyController

    init(_ proxy: any ProxyController) {
        self.proxy = proxy
    }

    /// The events of a new client, of which the first is the state.
    func subscribe(
        countersEvery interval: Int?, state: () async throws -> JSONValue
    ) async throws -> AsyncStream<String> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: String.self, bufferingPolicy: .bufferingOldest(Self.mostWaiting))
        let number = clients.withLock { clients -> Int? in
            guard clients.all.count < Self.mostClients else { return nil }
            clients.next += 1
            clients.all[clients.next] = Client(stream: continuation, interval: interval)
            return clients.next
        }
        guard let number else {
            throw APIError(503, "\(Self.mostClients) clients listen to events already")
        }
        do {
            continuation.yield(Self.text("state", try await state()))
            try await updateInterval()
        } catch {
            remove(number)
            throw error
        }
        let heartbeat = Task {
            while true {
                try await Task.sleep(for: Self.heartbeat)
                continuation.yield(": alive\n\n")
            }
        }
        continuation.onTermination = { [self] _ in
            heartbeat.cancel()
            remove(number)
            Task { try await updateInterval() }
        }
        return stream
    }

    /// Tells all clients of an event.
    func publish(_ name: String, _ value: JSONValue) {
        let text = Self.text(name, value)
        let isCounters = name == "counters"
        let clients = clients.withLock { $0.all.values }
        for client in clients where !isCounters || client.interval != nil {
            if case .dropped = client.stream.yield(text) { client.stream.finish() }
        }
    }

    /// Asks the proxy for events, with counters if a client wants them.
    func updateInterval() async throws {
        try await proxy.perform(.subscribe(countersEvery: clients.withLock(\.interval)))
    }

    private func remove(_ number: Int) {
        _ = clients.withLock { $0.all.removeValue(forKey: number) }
    }

    /// An event in the format of `text/event-stream`; JSON has no line ends of its own.
    private static func text(_ name: String, _ value: JSONValue) -> String {
        "event: \(name)\ndata: \(value)\n\n"
    }
}
