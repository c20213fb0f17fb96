import LinkTesting
import Synchronization
import Testing

@testable import HTTPTransport

/// Exchanges that fail on this host.
@Suite("HTTP client without a server") struct TransportClientTests {
    /// Notes how an exchange ends.
    private final class Watcher: ExchangeEvents {
        private let ends: AsyncStream<Result<ExchangeMetrics, ExchangeFailure>>.Continuation
        let results: AsyncStream<Result<ExchangeMetrics, ExchangeFailure>>
        private let mayConnect: Bool

        init(mayConnect: Bool = true) {
            self.mayConnect = mayConnect
            (results, ends) = AsyncStream.makeStream()
        }

        func started() {}
        func mayConnect(from local: SocketAddress, to remote: SocketAddress) -> Bool { mayConnect }
        func mayBegin(on connection: ExchangeConnection) -> Bool { true }
        func receive(_ head: ResponseHead) -> Bool { true }
        func receive(_ bytes: [UInt8]) -> Bool { true }
        func sent(_ total: Int64) {}

        func ended(_ result: Result<ExchangeMetrics, ExchangeFailure>) {
            ends.yield(result)
            ends.finish()
        }

        /// Why the exchange failed; nil if it did not.
        func failure() async -> ExchangeFailure? {
            for await case .failure(let failure) in results { return failure }
            return nil
        }
    }

    private static func failure(
        of request: ExchangeRequest, mayConnect: Bool = true
    ) async throws -> ExchangeFailure.Kind? {
        let client = try TransportClient(connectionsPerHost: 6)
        let watcher = Watcher(mayConnect: mayConnect)
        _ = client.start(request, watcher)
        defer { withExtendedLifetime(client) {} }
        return await watcher.failure()?.kind
    }

    @Test(
        arguments: [
            ("http://127.0.0.1:9/", .cannotConnect), ("http://[::1]:9/", .cannotConnect),
            ("nonsense://127.0.0.1/", .badURL), ("http:///", .badURL),
        ] as [(String, ExchangeFailure.Kind)])
    func `failures are told apart`(_ url: String, _ kind: ExchangeFailure.Kind) async throws {
        #expect(try await Self.failure(of: ExchangeRequest(url: url)) == kind)
    }

    @Test func `an unreadable body fails before anything is sent`() async throws {
        var request = ExchangeRequest(url: "http://127.0.0.1:9/")
        request.body = .file(path: "/nonexistent/file")
        #expect(try await Self.failure(of: request) == .unreadableBody)
        request.body = .file(path: "/dev")
        #expect(try await Self.failure(of: request) == .unreadableBody)
    }

    @Test func `an interface that does not exist leads nowhere`() async throws {
        var request = ExchangeRequest(url: "http://127.0.0.1:9/")
        request.route = .interface("no-such-if")
        #expect(try await Self.failure(of: request) == .cannotConnect)
    }

    @Test func `a connection that may not be made is not made`() async throws {
        let request = ExchangeRequest(url: "http://127.0.0.1:9/")
        #expect(try await Self.failure(of: request, mayConnect: false) == .cannotConnect)
    }

    @Test func `exchanges end with their client`() async throws {
        let watcher = Watcher()
        do {
            let client = try TransportClient(connectionsPerHost: 6)
            // TEST-NET-1 is reached by nobody.
            _ = client.start(ExchangeRequest(url: "http://192.0.2.1/"), watcher)
        }
        #expect(await watcher.failure() != nil)
    }
}
