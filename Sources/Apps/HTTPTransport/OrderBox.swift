import LinuxKernel
import Synchronization
import SystemPackage

/// What other threads want of a client's thread.
final class OrderBox: Sendable {
    /// A wish.
    enum Order: Sendable {
        case start(Int, ExchangeRequest, any ExchangeEvents, Brake)
        case cancel(Int)
        case pause(Int, Bool)
        /// Cancel everything and end the thread.
        case finish
    }

    private struct State {
        var orders: [Order] = []
        var lastNumber = 0
        var isOver = false
    }

    private let state = Mutex(State())
    private let wakeUp: WakeUp

    init() throws(Errno) { wakeUp = try WakeUp() }

    /// Readable when there are orders.
    var descriptor: FileDescriptor { wakeUp.descriptor }

    /// A number for an exchange.
    func nextNumber() -> Int {
        state.withLock { state in
            state.lastNumber += 1
            return state.lastNumber
        }
    }

    /// Puts an order in.
    func put(_ order: Order) {
        let isOver = state.withLock { state in
            if !state.isOver { state.orders.append(order) }
            return state.isOver
        }
        if isOver { refuse(order) } else { wakeUp.signal() }
    }

    /// Takes all orders out.
    func take() -> [Order] {
        _ = Readiness.read(from: descriptor, atMost: 8, until: .now)
        return state.withLock { state in
            defer { state.orders = [] }
            return state.orders
        }
    }

    /// Refuses all orders from now on.
    func refuseAll() {
        let orders = state.withLock { state in
            state.isOver = true
            defer { state.orders = [] }
            return state.orders
        }
        for order in orders { refuse(order) }
    }

    private func refuse(_ order: Order) {
        guard case .start(_, _, let events, _) = order else { return }
        events.ended(.failure(ExchangeFailure(.stopped, "the client has ended")))
    }
}
