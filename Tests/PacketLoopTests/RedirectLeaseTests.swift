import LinkTesting
import Testing

@testable import PacketLoop

@Suite("Lease of a redirection", .tags(.unit))
struct RedirectLeaseTests {
    @Test func `what is under way is stale once the lease is over, and stays so`() {
        let lease = RedirectLease()
        #expect(lease.staleness(at: .seconds(9)) == .zero)
        lease.extend(by: .milliseconds(900), at: .seconds(10))
        lease.extend(by: .milliseconds(900), at: .milliseconds(10_100))
        #expect(lease.staleness(at: .milliseconds(10_999)) == .zero)
        #expect(lease.staleness(at: .milliseconds(11_000)) == .seconds(11))
        #expect(lease.lapsedTime == .zero)

        lease.extend(by: .milliseconds(900), at: .milliseconds(11_600))
        #expect(lease.staleness(at: .milliseconds(11_601)) == .seconds(11))
        #expect(lease.lapsedTime == .milliseconds(600))
    }
}
