import LinkTesting
import Synchronization
import Testing

@testable import HTTPTransport

@Suite("The gate at the exit", .tags(.unit))
struct ExitGateTests {
    @Test func `it waits for who is inside, and lets nobody in any more`() async {
        let gate = ExitGate()
        let hasEntered = Atomic(false)
        let isClosed = Atomic(false)
        let closing = Task.detached {
            while !hasEntered.load(ordering: .acquiring) { await Task.yield() }
            gate.close(within: .seconds(60))
            isClosed.store(true, ordering: .releasing)
        }
        let wasClosed = gate.pass {
            hasEntered.store(true, ordering: .releasing)
            // The gate is being closed when others cannot pass any more.
            while gate.pass({}) != nil {}
            return isClosed.load(ordering: .acquiring)
        }
        await closing.value
        #expect(wasClosed == false)
        #expect(gate.pass {} == nil)
    }

    @Test func `who ends the process from inside does not wait for ever`() {
        let gate = ExitGate()
        gate.pass { gate.close(within: .milliseconds(20)) }
        #expect(gate.pass {} == nil)
    }
}
