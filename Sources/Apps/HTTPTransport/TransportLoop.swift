import CCrypto
import CCurl
import SystemPackage

/// Runs the exchanges of a client on the calling thread.
@safe
final class TransportLoop {
    private let multi: UnsafeMutableRawPointer
    private var exchanges: [Int: Exchange] = [:]
    private let multipathSockets = MultipathSockets()
    /// The longest wait without a reason to wake up.
    private static let patience = Duration.seconds(3600)

    /// libcurl is prepared once per process.
    private static let isPrepared = lc_curl_prepare() != 0

    init?(connectionsPerHost: Int) {
        guard Self.isPrepared, let multi = unsafe curl_multi_init() else { return nil }
        unsafe self.multi = multi
        unsafe lc_curl_limit_connections(multi, connectionsPerHost)
    }

    deinit {
        ExitGate.shared.pass { unsafe curl_multi_cleanup(multi) }
    }

    /// Runs until `OrderBox.Order.finish`.
    func run(_ orders: OrderBox) {
        while true {
            switch ExitGate.shared.pass({ turn(orders) }) {
            case true?: wait(for: orders.descriptor)
            case false?: return
            case nil: ExitGate.waitForTheEnd()
            }
        }
    }

    /// Gives back what OpenSSL keeps for the calling thread, which has to be the thread's last call of
    /// this type. OpenSSL does that by itself where a thread ends, but outside of the gate.
    static func leave() {
        let isDone: Void? = ExitGate.shared.pass { OPENSSL_thread_stop() }
        if isDone == nil { ExitGate.waitForTheEnd() }
    }

    /// Does what is to be done; false: that was all.
    private func turn(_ orders: OrderBox) -> Bool {
        var isOver = false
        for order in orders.take() { isOver = !carryOut(order) || isOver }
        var running: Int32 = 0
        unsafe curl_multi_perform(multi, &running)
        endCompleted()
        endIdle()
        guard isOver else { return true }
        for number in exchanges.keys { cancel(number) }
        return false
    }

    /// Carries out an order; false if it is the last.
    private func carryOut(_ order: OrderBox.Order) -> Bool {
        switch order {
        case .start(let number, let request, let events, let brake):
            do throws(ExchangeFailure) {
                let exchange = try Exchange(request, events, brake, multipathSockets)
                exchanges[number] = exchange
                unsafe curl_multi_add_handle(multi, exchange.handle)
            } catch {
                events.ended(.failure(error))
            }
        case .cancel(let number): cancel(number)
        case .pause(let number, let isPaused): exchanges[number]?.setPaused(isPaused)
        case .finish: return false
        }
        return true
    }

    private func wait(for orders: FileDescriptor) {
        let now = ContinuousClock.now
        let next = exchanges.values.compactMap(\.deadline).min()
        let limit = min(next.map { max(.zero, $0 - now) } ?? Self.patience, Self.patience)
        var extra = curl_waitfd(
            fd: orders.rawValue, events: Int16(CURL_WAIT_POLLIN), revents: 0)
        // Rounded up, since waking early would mean waiting again.
        let milliseconds = Int32((limit / .milliseconds(1)).rounded(.up))
        unsafe curl_multi_poll(multi, &extra, 1, milliseconds, nil)
    }

    private func endCompleted() {
        var result = CURLE_OK
        while let handle = unsafe lc_curl_next_ended(multi, &result) {
            let number = exchanges.first { unsafe $0.value.handle == handle }?.key
            if let number { remove(number)?.end(result) }
        }
    }

    private func endIdle() {
        let now = ContinuousClock.now
        let late = exchanges.filter { $0.value.deadline.map { $0 <= now } ?? false }.keys
        for number in late {
            remove(number)?.end(with: ExchangeFailure(.timedOut, "nothing came for too long"))
        }
    }

    private func cancel(_ number: Int) {
        remove(number)?.end(with: ExchangeFailure(.stopped, "it was cancelled"))
    }

    private func remove(_ number: Int) -> Exchange? {
        guard let exchange = exchanges.removeValue(forKey: number) else { return nil }
        unsafe curl_multi_remove_handle(multi, exchange.handle)
        return exchange
    }
}
