import LinkModel
import LinkTesting
import LinuxKernel
import Netlink
import ScenarioPlaying
import Scenarios
import SystemPackage
import Testing

@testable import Sandbox

@Suite("Devices of a sandbox", .tags(.unit)) struct SandboxDeviceTests {
    private static let command = ["app", "-v"].map { RawText($0) }

    private static func request(_ devices: [(String, [String])]) -> SandboxRequest {
        var request = SandboxRequest(
            interfaces: ["wifi-a", "cell-a", "wifi-b"].map {
                SandboxInterface(name: $0, conditions: LinkConditions(), profile: "test")
            }, command: command)
        request.devices = devices.map {
            SandboxDevice(name: $0, interfaces: $1, command: command)
        }
        return request
    }

    private static let two = request([("a", ["cell-a", "wifi-a"]), ("b", ["wifi-b"])])

    @Test func `each interface's wire leads to its device`() {
        let wires = Self.two.wires(of: SandboxNetwork(number: 0))
        #expect(wires.map(\.app.name) == ["wifi-a", "cell-a", "wifi-b"])
        #expect(wires.map(\.device) == [0, 0, 1])
        #expect(Self.request([]).wires(of: SandboxNetwork(number: 0)).map(\.device) == [0, 0, 0])
    }

    @Test func `without devices there is one, with the command and all interfaces`() {
        let devices = Self.request([]).allDevices
        #expect(devices.map(\.name) == [nil])
        #expect(devices.map(\.interfaces) == [["wifi-a", "cell-a", "wifi-b"]])
        #expect(devices.map(\.command) == [Self.command])
    }

    @Test func `options for one app are refused`() {
        var request = Self.two
        #expect(request.obstacleOfDevices == nil)
        request.conditionsLoopback = true
        #expect(
            request.obstacleOfDevices?.description
                == "--loopback conditions the loopback of one app, but the scenario has several "
                + "devices (a, b); leave it out")
        #expect(request.obstacleOfDevices?.status == .usage)
        request.devices = []
        #expect(request.obstacleOfDevices == nil)
    }

    @Test func `a relaunch overrides what the device says, and nothing else`() {
        var device = Self.two.devices[0]
        device.launch = LaunchOptions(
            home: "/anna", environment: ["ACCOUNT": "anna", "LEVEL": "1"], arguments: ["-q"])
        device.variables = ["LINKCOND_DEVICE": "a"]
        let launcher = AppLauncher(
            request: Self.two, device: device, network: .standardInput, busVariables: ["BUS": "x"])
        let first = [
            "LINKCOND_DEVICE": "a", "BUS": "x", "HOME": "/anna", "ACCOUNT": "anna", "LEVEL": "1",
        ]
        #expect(launcher.surroundings(LaunchOptions()).variables == first)
        let again = LaunchOptions(home: "/ben", environment: ["ACCOUNT": "ben"])
        #expect(
            launcher.surroundings(again).variables
                == first.merging(["HOME": "/ben", "ACCOUNT": "ben"]) { $1 })
        #expect(launcher.words(again).map(\.description) == ["app", "-q"])
        #expect(launcher.words(.init(arguments: [])).map(\.description) == ["app"])
    }

    @Test func `a home that is not there is an error before the app starts`() {
        var device = Self.two.devices[0]
        device.launch.home = "/nonexistent/home"
        let launcher = AppLauncher(
            request: Self.two, device: device, network: .standardInput, busVariables: [:])
        let error = #expect(throws: SandboxError.self) { _ = try launcher.start(LaunchOptions()) }
        #expect(
            error?.description
                == "a: home /nonexistent/home: there is no such directory; make it with mkdir -p, "
                + "before the app is started there")
    }

    @Test func `users are found before anything is built`() throws {
        var request = Self.two
        request.devices[0].launch.user = "root"
        #expect(try AppUsers(of: request, isRootless: false)["root"]?.identity?.user == 0)
        request.devices[1].launch.user = "no such user"
        let unknown = #expect(throws: SandboxError.self) {
            _ = try AppUsers(of: request, isRootless: false)
        }
        #expect(
            unknown?.description == "user no such user: this host has no such user (/etc/passwd)")
    }
}
