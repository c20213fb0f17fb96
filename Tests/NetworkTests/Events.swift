import Foundation
import Network
import Synchronization

/// What the handlers of a connection or a listener have been told, in order.
final class Events<Event: Sendable>: Sendable {
    private let all = Mutex<[Event]>([])
    private let stream = AsyncStream<Event>.makeStream()

    var events: [Event] { all.withLock { $0 } }

    func add(_ event: Event) {
        all.withLock { $0.append(event) }
        stream.continuation.yield(event)
    }

    /// Waits for the first event that is not yet consumed and meets `condition`.
    func first(where condition: (Event) -> Bool) async -> Event? {
        for await event in stream.stream where condition(event) { return event }
        return nil
    }
}

extension NWConnection {
    /// Starts it; returns its states.
    func startRecording() -> Events<State> {
        let events = Events<State>()
        stateUpdateHandler = { events.add($0) }
        start(queue: DispatchQueue(label: "test"))
        return events
    }

    /// Sends text.
    func send(_ text: String, _ context: ContentContext = .defaultMessage) async throws {
        try await withCheckedThrowingContinuation { continuation in
            send(
                content: Data(text.utf8), contentContext: context,
                completion: .contentProcessed { error in
                    continuation.resume(with: error.map { .failure($0) } ?? .success(()))
                })
        }
    }

    /// Receives once.
    func receive() async throws -> (text: String, isComplete: Bool) {
        try await withCheckedThrowingContinuation { continuation in
            receive(minimumIncompleteLength: 1, maximumLength: 65_536) {
                content, _, isComplete, error in
                if let error { return continuation.resume(throwing: error) }
                continuation.resume(
                    returning: (String(decoding: content ?? Data(), as: UTF8.self), isComplete))
            }
        }
    }

    /// Receives everything until the end of a stream, or a datagram.
    func receiveAll() async throws -> String {
        try await withCheckedThrowingContinuation { continuation in
            receiveMessage { content, _, _, error in
                if let error { return continuation.resume(throwing: error) }
                continuation.resume(
                    returning: String(decoding: content ?? Data(), as: UTF8.self))
            }
        }
    }
}

/// A listener at a port of the loopback, and what it has accepted.
struct TestListener {
    let listener: NWListener
    let states = Events<NWListener.State>()
    let connections = Events<NWConnection>()

    init(_ parameters: NWParameters, on port: NWEndpoint.Port = .any) throws {
        parameters.requiredLocalEndpoint = .hostPort(host: .ipv4(.loopback), port: .any)
        listener = try NWListener(using: parameters, on: port)
        listener.stateUpdateHandler = { [states] in states.add($0) }
        listener.newConnectionHandler = { [connections] in connections.add($0) }
        listener.start(queue: DispatchQueue(label: "test listener"))
    }

    /// The port, once it listens.
    func port() async throws -> NWEndpoint.Port {
        _ = await states.first { $0 != .setup }
        guard let port = listener.port, listener.state == .ready else {
            throw ListenerFailure(state: listener.state)
        }
        return port
    }

    struct ListenerFailure: Error {
        let state: NWListener.State
    }
}
