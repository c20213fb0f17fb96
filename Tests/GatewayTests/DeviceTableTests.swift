import LinkTesting
import LinuxKernel
import Testing

@testable import Gateway

@Suite("Devices behind a gateway", .tags(.unit))
struct DeviceTableTests {
    private let phone = HardwareAddress(bytes: [2, 0, 0, 0, 0, 1])
    private let tablet = HardwareAddress(bytes: [2, 0, 0, 0, 0, 2])

    private static func table() throws -> DeviceTable {
        var network = try GatewayNetwork(
            inner: "lan0", uplink: "wan0", address: "192.168.77.1/24")
        network.address6 = IPAddress("fd00::1")
        return DeviceTable(network)
    }

    private static func address(_ text: String) throws -> IPAddress {
        try #require(IPAddress(text))
    }

    @Test func `leases are read from dnsmasq's file, up to those of IPv6`() throws {
        let leases = Lease.all(
            in: """
                1700000000 02:00:00:00:00:01 192.168.77.20 phone 01:02:00:00:00:00:01
                0 02:00:00:00:00:02 192.168.77.21 * *
                garbage
                1700000000 not-a-mac 192.168.77.22 x *
                1700000000 02:00:00:00:00:03 no-address x *
                duid 00:01:00:01:2c:11
                1700000000 123 fd00::20 phone 00:01
                1700000000 02:00:00:00:00:04 192.168.77.23 late *

                """)
        #expect(leases.map(\.address.description) == ["192.168.77.20", "192.168.77.21"])
        #expect(leases.map(\.name) == ["phone", nil])
        #expect(leases.map { $0.hasEnded(at: 1_800_000_000) } == [true, false])
    }

    @Test func `a device has the name of its lease, and all addresses of its hardware address`()
        throws
    {
        let (phone, tablet) = (try #require(phone), try #require(tablet))
        var table = try Self.table()
        table.update(
            leases: [
                Lease(
                    expiry: 100, hardware: phone, address: try Self.address("192.168.77.20"),
                    name: "Phone")
            ],
            neighbours: [
                .init(hardware: phone, address: try Self.address("fd00::20")),
                .init(hardware: phone, address: try Self.address("fe80::20")),
                .init(hardware: tablet, address: try Self.address("192.168.77.30")),
                .init(hardware: tablet, address: try Self.address("192.168.78.30")),
                .init(hardware: tablet, address: try Self.address("192.168.77.1")),
            ], time: 50, now: .seconds(1))
        #expect(table.all.map(\.title) == ["02:00:00:00:00:02", "Phone"])
        #expect(
            table.devices[phone]?.addresses.map(\.description) == ["192.168.77.20", "fd00::20"])
        #expect(table.devices[tablet]?.addresses.map(\.description) == ["192.168.77.30"])
        #expect(table.device(at: try Self.address("fd00::20"))?.hardware == phone)
        #expect(table.devices(named: DeviceKey("phone")).map(\.hardware) == [phone])
        #expect(table.devices(named: DeviceKey("fd00:0::20")).map(\.hardware) == [phone])
        #expect(table.devices(named: DeviceKey("02-00-00-00-00-02")).map(\.hardware) == [tablet])
    }

    @Test func `a device that comes back with another address is the same`() throws {
        let (phone, tablet) = (try #require(phone), try #require(tablet))
        var table = try Self.table()
        func lease(_ hardware: HardwareAddress, _ address: String) throws -> Lease {
            Lease(expiry: 100, hardware: hardware, address: try Self.address(address), name: nil)
        }
        table.update(
            leases: [try lease(phone, "192.168.77.20")], neighbours: [], time: 50,
            now: .seconds(1))
        table.change(phone) {
            $0.wish = Device.Wish(choice: .none, isFromPage: true)
        }
        table.update(leases: [], neighbours: [], time: 50, now: .seconds(2))
        #expect(table.devices[phone]?.isPresent == false)
        #expect(table.devices[phone]?.addresses == [])
        // Meanwhile another one has its address.
        table.update(
            leases: [try lease(tablet, "192.168.77.20"), try lease(phone, "192.168.77.21")],
            neighbours: [], time: 50, now: .seconds(3))
        #expect(table.devices[phone]?.addresses.map(\.description) == ["192.168.77.21"])
        #expect(table.devices[tablet]?.addresses.map(\.description) == ["192.168.77.20"])
        #expect(table.devices[phone]?.arrival == .seconds(3))
        #expect(table.devices[phone]?.wish != nil)
    }

    @Test func `a neighbour that is silent keeps its address, and is not there`() throws {
        let tablet = try #require(tablet)
        var table = try Self.table()
        table.update(
            leases: [],
            neighbours: [
                .init(
                    hardware: tablet, address: try Self.address("192.168.77.30"), isThere: false)
            ], time: 0, now: .zero)
        #expect(table.devices[tablet]?.isPresent == false)
        #expect(table.devices[tablet]?.addresses.count == 1)
    }

    @Test func `a device with very many addresses keeps the newest`() throws {
        let phone = try #require(phone)
        var table = try Self.table()
        var neighbours: [DeviceTable.Neighbour] = []
        for number in 16..<40 {
            neighbours.append(
                .init(hardware: phone, address: try Self.address("fd00::\(number)")))
            table.update(leases: [], neighbours: neighbours, time: 0, now: .zero)
        }
        let addresses = try #require(table.devices[phone]?.addresses)
        #expect(addresses.count == DeviceTable.mostAddresses)
        #expect(addresses.last == (try Self.address("fd00::39")))
    }

    @Test(arguments: [
        "", "02:00:00:00:00", "02:00:00:00:00:0g", "00:00:00:00:00:00", "2:0:0:0:0:1",
    ])
    func `what is no hardware address is refused`(text: String) {
        #expect(HardwareAddress(text) == nil)
    }
}
