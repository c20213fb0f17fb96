import Foundation
import HTTPTransport
import NetworkPath
import Synchronization

/// Connects by several ways and lets the first that is connected carry the request. The request
/// itself is sent once.
final class Race: Sendable {
    /// Starts the exchange of an attempt.
    typealias Start =
        @Sendable (Candidate, Attempt) throws(ExchangeFailure) -> (TransportClient, RunningExchange)

    /// An attempt with its client, which lives as long as the exchange.
    private struct Runner: Sendable {
        let client: TransportClient
        let exchange: RunningExchange
    }

    private struct State {
        var order: RaceOrder
        var runners: [Int: Runner] = [:]
        var stopped: URLError?
        var isPaused = false
        var link: Attempt.Link?
    }

    private enum Step: Sendable {
        case event(Int, Attempt.Event)
        case late(Int)
    }

    private let subject: Attempt.Subject
    private let candidates: [Candidate]
    private let start: Start
    private let state: Mutex<State>

    init(_ subject: Attempt.Subject, _ candidates: [Candidate], start: @escaping Start) {
        (self.subject, self.candidates, self.start) = (subject, candidates, start)
        state = Mutex(State(order: RaceOrder(count: candidates.count)))
    }

    /// Runs until the request has ended, or no candidate can connect. Cancelling the caller's task
    /// has no effect: `stop` ends it, and no callback comes after it has ended.
    func run() async -> Attempt.Ending {
        await Task { await runSteps() }.value
    }

    private func runSteps() async -> Attempt.Ending {
        let (steps, sink) = AsyncStream.makeStream(of: Step.self)
        var failures: [Attempt.Ending] = []
        var timers: [Task<Void, Never>] = []
        defer {
            for timer in timers { timer.cancel() }
            // Not dropped under the lock, since a client cancels its exchanges.
            _ = state.withLock { state in
                defer { state.runners = [:] }
                return state.runners
            }
        }
        begin(state.withLock { $0.order.begin() }, sink)
        for await step in steps {
            switch step {
            case .late(let number):
                begin(state.withLock { $0.order.lateness(of: number) }, sink)
            case .event(let number, .began):
                let delay = subject.rules.multipath.connectionAttemptDelay
                timers.append(
                    Task {
                        guard (try? await Task.sleep(for: delay)) != nil else { return }
                        sink.yield(.late(number))
                    })
            case .event(let number, .connected):
                cancelAll(but: number)
            case .event(let number, .ended(let ending)):
                let (isWinner, next, isLost) = state.withLock { state in
                    let isWinner = state.order.winner == number
                    let next = isWinner ? nil : state.order.fail(number)
                    return (isWinner, next, state.order.isLost)
                }
                if isWinner { return finished(ending) }
                guard ending.mayTryAnother || winner != nil else {
                    cancelAll(but: number)
                    return finished(ending)
                }
                failures.append(ending)
                if isLost { return finished(Self.verdict(failures) ?? ending) }
                begin(next, sink)
            }
        }
        preconditionFailure("the stream of a race has no end")
    }

    private var winner: Int? { state.withLock { $0.order.winner } }

    /// The connection that carries the request; nil until there is one.
    var link: Attempt.Link? { state.withLock { $0.link } }

    /// Ends it with `error`, unless it has ended.
    func stop(with error: URLError) {
        let runners = state.withLock { state in
            state.stopped = state.stopped ?? error
            return state.runners.values
        }
        for runner in runners { runner.exchange.cancel() }
    }

    /// Ends it with `error` unless a connection carries the request, which must not be sent twice;
    /// returns whether it ends.
    func stopUnlessConnected(with error: URLError) -> Bool {
        let isStopped = state.withLock { state in
            guard state.link == nil else { return false }
            state.stopped = state.stopped ?? error
            return true
        }
        if isStopped { stop(with: error) }
        return isStopped
    }

    /// Stops sending and receiving, or continues.
    func setPaused(_ isPaused: Bool) {
        let runners = state.withLock { state in
            state.isPaused = isPaused
            return state.runners.values
        }
        for runner in runners { runner.exchange.setPaused(isPaused) }
    }

    private func begin(_ number: Int?, _ sink: AsyncStream<Step>.Continuation) {
        guard let number else { return }
        let attempt = Attempt(
            subject, candidates[number],
            claim: { [weak self] link in
                self?.state.withLock { state in
                    guard state.stopped == nil, state.order.claim(number) else { return false }
                    state.link = link
                    return true
                } ?? false
            },
            tell: { sink.yield(.event(number, $0)) })
        if let stopped = state.withLock({ $0.stopped }) {
            sink.yield(.event(number, .ended(Attempt.Ending(result: .failure(stopped)))))
            return
        }
        do throws(ExchangeFailure) {
            let (client, exchange) = try start(candidates[number], attempt)
            let (isStopped, isPaused) = state.withLock { state in
                state.runners[number] = Runner(client: client, exchange: exchange)
                return (state.stopped != nil, state.isPaused)
            }
            if isStopped { exchange.cancel() }
            if isPaused { exchange.setPaused(true) }
        } catch {
            attempt.ended(.failure(error))
        }
    }

    private func cancelAll(but winner: Int) {
        let losers = state.withLock { state in state.runners.filter { $0.key != winner } }
        for loser in losers.values { loser.exchange.cancel() }
    }

    private func finished(_ ending: Attempt.Ending) -> Attempt.Ending {
        guard case .failure = ending.result, let stopped = state.withLock({ $0.stopped }) else {
            return ending
        }
        var ending = ending
        ending.result = .failure(stopped)
        return ending
    }

    /// Of several failures the last that is no prohibition, since that candidate may be used.
    private static func verdict(_ failures: [Attempt.Ending]) -> Attempt.Ending? {
        failures.last { $0.prohibition == nil } ?? failures.first
    }
}

extension NetworkSession.MultipathServiceType {
    /// How long a candidate may take to connect before the next one begins. RFC 8305 recommends
    /// 250 ms, and 2 s at most: apps that ask for several networks get the former, others stay with
    /// the preferred network as long as possible.
    var connectionAttemptDelay: Duration {
        self == .none ? .seconds(2) : .milliseconds(250)
    }
}
