import LinkTesting
import LinkUnits
import ProfileFormat
import Testing

@testable import Gateway

@Suite("The file gateway.yaml", .tags(.unit))
struct GatewayFileTests {
    private static func read(_ text: String) throws(ProfileError) -> GatewayFile {
        try GatewayFile(parsing: text, file: "g.yaml")
    }

    @Test func `the one of the documentation is read`() throws {
        let file = try Self.read(
            """
            default: LTE
            profiles: [LTE, 3G, Edge]
            page: false
            wifi: { name: Lab, passphrase: long enough }
            devices:
              my-phone: 3G
              02:00:00:00:00:01:
                profile: LTE
                set: [down.loss=2%]
                for: 2 h
                expensive: false
                choose: false
                schedule:
                  - { from: "22:00", until: "07:00", profile: 100% Loss }
                  - { from: "8:00", until: "12:00", days: [mon, TUE], profile: none }
              192.168.77.30: none
            """)
        let configuration = file.configuration
        #expect(configuration.standard.title == "apple/LTE")
        #expect(configuration.offers.map(\.title) == ["apple/LTE", "apple/3G", "apple/Edge"])
        #expect(configuration.hasPage == false)
        #expect(file.wifi?.name == "Lab")
        #expect(
            configuration.entries.map(\.key.description) == [
                "my-phone", "02:00:00:00:00:01", "192.168.77.30",
            ])
        let settings = configuration.entries[1].settings
        #expect(settings.choice?.title == "apple/LTE, down.loss=2%")
        #expect(settings.limit == .seconds(7200))
        #expect(settings.isExpensive == false)
        #expect(!settings.mayChoose)
        #expect(settings.schedule.map(\.choice.title) == ["apple/100%-Loss", "none"])
        #expect(settings.schedule.map(\.days.count) == [7, 2])
        #expect(configuration.entries[2].settings.choice == NetworkChoice.none)
    }

    @Test(arguments: [
        ("- 3G", "g.yaml: is not a gateway"),
        ("default: LTE\nspeed: 3", "g.yaml:2: speed: unknown key"),
        ("default: LTEE", "g.yaml:1: default: LTEE: no such profile"),
        ("profiles: [LTE,\n  nix]", "g.yaml:2: profiles: nix: no such profile"),
        ("devices: 3G", "g.yaml:1: devices: has to be a list of devices"),
        ("devices:\n  a b: 3G", "g.yaml:2: devices: a device is a name"),
        (
            "devices:\n  a: { profil: 3G }",
            "g.yaml:2: devices.a.profil: unknown key; did you mean profile?"
        ),
        ("devices:\n  a: 3G\n  A: LTE", "g.yaml:3: devices.A: is the device of line 2"),
        ("devices:\n  a: { for: 2 h }", "g.yaml:2: devices.a.for: needs a profile"),
        ("devices:\n  a: { profile: 3G, for: 2 }", "g.yaml:2: devices.a.for: \"2\" has no unit"),
        ("devices:\n  a: { set: down.loss=2% }", "g.yaml:2: devices.a.set: needs a profile"),
        (
            "devices:\n  a: { profile: 3G, set: down.los=2% }",
            "g.yaml:2: devices.a.profile: --set down.los=2%"
        ),
        (
            "devices:\n  a:\n    schedule:\n      - { from: 25:00, until: 07:00, profile: 3G }",
            "g.yaml:4: devices.a.schedule.from: \"25:00\" is no time of day"
        ),
        (
            "devices:\n  a:\n    schedule:\n      - { from: 22:00, profile: 3G }",
            "g.yaml:4: devices.a.schedule.until: is missing"
        ),
        (
            "devices:\n  a:\n    schedule:\n      - { from: 22:00, until: 23:00 }",
            "g.yaml:4: devices.a.schedule.profile: is missing"
        ),
        (
            "devices:\n  a:\n    schedule:\n      - { from: 1:00, until: 2:00, days: [moon], profile: 3G }",
            "g.yaml:4: devices.a.schedule.days: \"moon\" is no day"
        ),
        ("wifi: { passphrase: x }", "g.yaml:1: wifi.name: is missing"),
        ("devices:\n\ta: 3G", "g.yaml:2: not valid YAML"),
    ])
    func `a mistake is told with its line and what to do`(text: String, message: String) {
        let error = #expect(throws: ProfileError.self) { try Self.read(text) }
        #expect(error.map { "\($0)".hasPrefix(message) } == true, "\(error.map { "\($0)" } ?? "")")
    }

    @Test func `the command line changes the profile of a file's device, and adds others`() throws {
        var configuration = try Self.read("devices:\n  a: { profile: 3G, choose: false }")
            .configuration
        configuration.set(DeviceKey("A"), try .named("LTE"))
        configuration.set(DeviceKey("b"), .none)
        #expect(configuration.entries.map(\.key.description) == ["b", "a"])
        #expect(configuration.entries[1].settings.choice?.title == "apple/LTE")
        #expect(!configuration.entries[1].settings.mayChoose)
    }
}
