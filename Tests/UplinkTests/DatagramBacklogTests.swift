import LinkTesting
@testable import LinuxKernel
import Testing

@testable import Uplink

@Suite("Datagrams that leave together", .tags(.unit))
struct DatagramBacklogTests {
    private static let app = Endpoint(IPAddress(ipv4: 1), port: 1000)
    private static let server = Endpoint(IPAddress(ipv4: 2), port: 443)

    private static func datagram(
        _ length: Int, from sender: Endpoint = app, to destination: Endpoint = server
    ) -> Datagram {
        Datagram(
            payload: [UInt8](repeating: 7, count: length), sender: sender,
            destination: destination)
    }

    /// The lengths of all datagrams, train by train.
    private static func trains(_ datagrams: [Datagram]) -> [[Int]] {
        var backlog = DatagramBacklog()
        backlog.append(datagrams)
        var found: [[Int]] = []
        while let item = backlog.popFirst() {
            found.append(backlog.popTrain(behind: item).map(\.payload.count))
        }
        #expect(backlog.isEmpty && backlog.countFromApp == 0)
        return found
    }

    @Test func `A shorter one is the last, and an empty one alone`() {
        let lengths = [300, 300, 120, 120, 300, 0, 0, 8, 9]
        let trains = Self.trains(lengths.map { Self.datagram($0) })
        #expect(trains == [[300, 300, 120], [120], [300], [0], [0], [8], [9]])
    }

    @Test func `They are no more than the kernel takes`() {
        let small = Self.trains((0..<150).map { _ in Self.datagram(100) })
        #expect(small.map(\.count) == [64, 64, 22])
        let large = Self.trains((0..<5).map { _ in Self.datagram(20_000) })
        #expect(large.map(\.count) == [3, 2])
        #expect(Self.trains([Self.datagram(65_507), Self.datagram(1)]).map(\.count) == [1, 1])
    }

    @Test func `They have one sender and one destination`() {
        let other = Endpoint(IPAddress(ipv4: 2), port: 444)
        let datagrams = [
            Self.datagram(10), Self.datagram(10, to: other), Self.datagram(10, to: other),
            Self.datagram(10, from: other, to: other),
        ]
        #expect(Self.trains(datagrams) == [[10], [10, 10], [10]])
    }
}
