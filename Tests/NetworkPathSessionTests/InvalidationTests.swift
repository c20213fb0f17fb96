import Foundation
import FoundationNetworking
import LinkTesting
import Synchronization
import Testing

@testable import NetworkPathSession

@Suite("Invalidated sessions", .tags(.unit)) struct InvalidationTests {
    private final class Watcher: NetworkSessionDelegate {
        let ends = Mutex(0)

        func networkSession(
            _ session: NetworkSession, didBecomeInvalidWithError error: (any Error)?
        ) {
            ends.withLock { $0 += 1 }
        }
    }

    private static func request() throws -> NetworkRequest {
        // Nobody listens on the discard port.
        NetworkRequest(url: try #require(URL(string: "http://127.0.0.1:9/")))
    }

    @Test func `they take no more tasks, and say so once`() async throws {
        let watcher = Watcher()
        let session = NetworkSession(configuration: .ephemeral, delegate: watcher)
        session.finishTasksAndInvalidate()
        session.invalidateAndCancel()
        let error = await #expect(throws: URLError.self) {
            try await session.data(for: Self.request())
        }
        #expect(error?.code == .cancelled)
        #expect(watcher.ends.withLock { $0 } == 1)
        #expect(await session.allTasks.isEmpty)
    }

    @Test func `tasks that run are finished or cancelled`() async throws {
        for isCancelled in [false, true] {
            let session = NetworkSession(configuration: .ephemeral)
            let code: URLError.Code? = await withCheckedContinuation { waiter in
                do {
                    let task = session.dataTask(with: try Self.request()) { _, _, error in
                        waiter.resume(returning: (error as? URLError)?.code)
                    }
                    task.resume()
                } catch {
                    waiter.resume(returning: nil)
                }
                if isCancelled {
                    session.invalidateAndCancel()
                } else {
                    session.finishTasksAndInvalidate()
                }
            }
            // A refused connection may be faster than the cancellation.
            #expect(code == .cannotConnectToHost || isCancelled && code == .cancelled)
        }
    }

    @Test func `the shared session stays`() async throws {
        NetworkSession.shared.invalidateAndCancel()
        let error = await #expect(throws: URLError.self) {
            try await NetworkSession.shared.data(for: Self.request())
        }
        #expect(error?.code == .cannotConnectToHost)
    }
}
