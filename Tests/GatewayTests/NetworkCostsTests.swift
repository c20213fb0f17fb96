import LinkTesting
import Testing

@testable import Gateway

@Suite("What devices are told of the cost", .tags(.unit))
struct NetworkCostsTests {
    private static let free = NetworkChoice(title: "free", conditions: nil)
    private static let dear = NetworkChoice(title: "dear", conditions: nil, isExpensive: true)

    private static func device(_ number: UInt8, _ name: String? = nil) throws -> Device {
        Device(
            try #require(HardwareAddress(bytes: [2, 0, 0, 0, 0, number])), name: name, at: .zero)
    }

    @Test func `the settings are known before the devices come`() throws {
        var configuration = GatewayConfiguration()
        configuration.set(DeviceKey("Phone"), Self.dear)
        configuration.set(DeviceKey("02:00:00:00:00:02"), Self.dear)
        configuration.set(DeviceKey("192.168.77.5"), Self.dear)
        configuration.set(DeviceKey("a,b"), Self.dear)
        configuration.set(DeviceKey("tablet"), Self.free)
        #expect(
            NetworkCosts(configuration).lines == [
                "dhcp-host=02:00:00:00:00:02,set:metered", "dhcp-host=phone,set:metered",
                "dhcp-host=tablet,set:unmetered",
                "dhcp-option=tag:metered,43,\"ANDROID_METERED\"",
            ])
        configuration.standard = Self.dear
        #expect(
            NetworkCosts(configuration).lines.last
                == "dhcp-option=tag:!unmetered,43,\"ANDROID_METERED\"")
    }

    @Test func `only what is new is noted`() throws {
        var configuration = GatewayConfiguration()
        configuration.set(DeviceKey("phone"), Self.dear)
        let before = NetworkCosts(configuration)
        var costs = before
        costs.note(try Self.device(1, "Phone"), isExpensive: true)
        costs.note(try Self.device(2), isExpensive: false)
        #expect(costs == before)
        costs.note(try Self.device(1, "Phone"), isExpensive: false)
        costs.note(try Self.device(2), isExpensive: true)
        #expect(costs.byHardware.map(\.value).filter { $0 }.count == 1)
        #expect(costs.lines.count == before.lines.count + 2)
    }
}
