import LinkTesting
import Testing

@testable import Proxy

@Suite(.tags(.unit))
struct `A queue of timers` {
    @Test func `does what is due in the order of the times`() {
        var queue = TimerQueue()
        var done: [Int] = []
        for number in [5, 1, 4, 2, 3, 9, 8, 7, 6] {
            _ = queue.add(at: .seconds(number)) { _ in done.append(number) }
        }
        #expect(queue.next == .seconds(1))
        while let action = queue.takeDue(at: .seconds(5)) { action(.seconds(5)) }
        #expect(done == [1, 2, 3, 4, 5])
        #expect(queue.next == .seconds(6))
    }

    @Test func `does not do what was cancelled`() {
        var queue = TimerQueue()
        var done: [Int] = []
        let tokens = (1...3).map { number in
            queue.add(at: .seconds(number)) { _ in done.append(number) }
        }
        queue.cancel(tokens[1])
        while let action = queue.takeDue(at: .seconds(9)) { action(.seconds(9)) }
        #expect(done == [1, 3])
        #expect(queue.next == nil)
    }
}
