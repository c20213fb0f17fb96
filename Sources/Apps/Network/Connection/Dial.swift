import NIOCore
import NetworkPath
import Synchronization

/// Connects over several interfaces; the first that is connected is taken.
final class Dial: Sendable {
    /// A connected channel, and the interface to which it is bound.
    typealias Success = (channel: any Channel, interface: NetworkInterface?)

    private struct State {
        var order: RaceOrder
        var isOver = false
    }

    private let loop: any EventLoop
    private let candidates: [NetworkInterface?]
    private let delay: TimeAmount
    private let connect: @Sendable (NetworkInterface?) -> EventLoopFuture<any Channel>
    private let done: @Sendable (Result<Success, NWError>) -> Void
    private let state: Mutex<State>

    /// - Parameters:
    ///   - delay: How long a candidate may take before the next one begins.
    ///   - done: Called once, on the loop, unless `cancel()` comes first.
    init(
        _ candidates: [NetworkInterface?], on loop: any EventLoop, delay: TimeAmount,
        connect: @escaping @Sendable (NetworkInterface?) -> EventLoopFuture<any Channel>,
        done: @escaping @Sendable (Result<Success, NWError>) -> Void
    ) {
        (self.candidates, self.loop, self.delay) = (candidates, loop, delay)
        (self.connect, self.done) = (connect, done)
        state = Mutex(State(order: RaceOrder(count: candidates.count)))
    }

    func start() { if let first = state.withLock({ $0.order.begin() }) { start(first) } }

    func cancel() { state.withLock { $0.isOver = true } }

    private func start(_ number: Int) {
        let interface = candidates[number]
        loop.scheduleTask(in: delay) {
            let next = self.state.withLock { state in
                state.isOver ? nil : state.order.lateness(of: number)
            }
            if let next { self.start(next) }
        }
        connect(interface).hop(to: loop).whenComplete { result in
            switch result {
            case .success(let channel): self.take(channel, number, interface)
            case .failure(let error): self.drop(number, NWError(error))
            }
        }
    }

    private func take(_ channel: any Channel, _ number: Int, _ interface: NetworkInterface?) {
        let isFirst = state.withLock { state in
            guard !state.isOver, state.order.claim(number) else { return false }
            state.isOver = true
            return true
        }
        guard isFirst else { return channel.close(promise: nil) }
        done(.success((channel, interface)))
    }

    private func drop(_ number: Int, _ error: NWError) {
        let (next, isLost) = state.withLock { state -> (Int?, Bool) in
            guard !state.isOver else { return (nil, false) }
            let next = state.order.fail(number)
            state.isOver = state.order.isLost
            return (next, state.isOver)
        }
        if let next { start(next) }
        if isLost { done(.failure(error)) }
    }
}
