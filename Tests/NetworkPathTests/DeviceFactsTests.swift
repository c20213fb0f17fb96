import LinkTesting
import Testing

@testable import NetworkPath

@Suite("The kind of a device", .tags(.unit))
struct DeviceFactsTests {
    private static let ethernet: UInt16 = 1
    private static let noHeader: UInt16 = 65534

    @Test(
        "Virtual interfaces tell their kind, and hardware its driver or its numbers",
        arguments: [
            (DeviceFacts(hardwareType: ethernet), NetworkInterface.Kind.wired),
            (DeviceFacts(hardwareType: 772), .loopback),
            (DeviceFacts(hardwareType: 519), .cellular),
            (DeviceFacts(hardwareType: 512), .other),
            (DeviceFacts(hardwareType: 801), .wifi),
            (DeviceFacts(hardwareType: noHeader), .other),
            (DeviceFacts(hardwareType: ethernet, virtualKind: "veth"), .wired),
            (DeviceFacts(hardwareType: ethernet, virtualKind: "bridge"), .wired),
            (DeviceFacts(hardwareType: ethernet, virtualKind: "tun"), .other),
            (DeviceFacts(hardwareType: noHeader, virtualKind: "tun"), .other),
            (DeviceFacts(hardwareType: noHeader, virtualKind: "wireguard"), .other),
            (DeviceFacts(hardwareType: noHeader, virtualKind: "ipvlan"), .other),
            (DeviceFacts(hardwareType: ethernet, virtualKind: "dummy"), .other),
            (DeviceFacts(hardwareType: 519, virtualKind: "wwan"), .cellular),
            (DeviceFacts(hardwareType: ethernet, virtualKind: "virt_wifi"), .wifi),
            (DeviceFacts(hardwareType: ethernet, driverType: "wlan"), .wifi),
            (DeviceFacts(hardwareType: ethernet, driverType: "wwan"), .cellular),
            (DeviceFacts(hardwareType: ethernet, driverType: "bluetooth"), .other),
            (DeviceFacts(hardwareType: ethernet, isRadio: true), .wifi),
        ])
    func kinds(facts: DeviceFacts, kind: NetworkInterface.Kind) {
        #expect(facts.kind == kind)
    }

    @Test func `the driver says in uevent what it is`() {
        #expect(DeviceFacts.driverType(in: "DEVTYPE=wlan\nINTERFACE=wlan0\nIFINDEX=3\n") == "wlan")
        #expect(DeviceFacts.driverType(in: "INTERFACE=eth0\nIFINDEX=2\n") == nil)
    }
}
