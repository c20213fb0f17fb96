import LinkModel
import LinkTesting
import LinuxKernel
import Testing

@testable import Gateway

@Suite("Schedules and decisions", .tags(.unit))
struct ScheduleTests {
    private static let night = NetworkChoice(title: "night", conditions: LinkConditions())
    private static let own = NetworkChoice(title: "own", conditions: LinkConditions())
    private static let standard = NetworkChoice(title: "standard", conditions: nil)

    private static func entry(
        _ from: String, _ until: String, days: Set<Weekday> = Set(Weekday.allCases)
    ) throws -> ScheduleEntry {
        ScheduleEntry(
            from: try #require(TimeOfDay(from)), until: try #require(TimeOfDay(until)), days: days,
            choice: night)
    }

    private static func time(_ day: Weekday, _ text: String) throws -> LocalTime {
        LocalTime(weekday: day.number, minute: try #require(TimeOfDay(text)).minute)
    }

    @Test(arguments: [
        ("09:59", false), ("10:00", true), ("11:59", true), ("12:00", false), ("00:00", false),
    ])
    func `an entry holds from its beginning to before its end`(at text: String, holds: Bool) throws
    {
        let entry = try Self.entry("10:00", "12:00")
        #expect(entry.isInForce(at: try Self.time(.wed, text)) == holds)
    }

    @Test(arguments: [
        (Weekday.fri, "21:59", false), (.fri, "22:00", true), (.sat, "06:59", true),
        (.sat, "07:00", false), (.sat, "22:00", false), (.fri, "06:00", false),
        (.sun, "06:00", false),
    ])
    func `an entry over midnight belongs to the day on which it begins`(
        day: Weekday, text: String, holds: Bool
    ) throws {
        let entry = try Self.entry("22:00", "07:00", days: [.fri])
        #expect(entry.isInForce(at: try Self.time(day, text)) == holds)
    }

    @Test func `an entry that ends when it begins holds all day`() throws {
        let entry = try Self.entry("08:00", "08:00", days: [.mon])
        #expect(entry.isInForce(at: try Self.time(.mon, "23:59")))
        #expect(entry.isInForce(at: try Self.time(.tue, "07:59")))
        #expect(try !entry.isInForce(at: Self.time(.tue, "08:00")))
    }

    @Test(arguments: ["24:00", "7", "7:5", "07:60", "-1:00", "07:00:00", "", "ab:cd", "+7:00"])
    func `what is no time of day is refused`(text: String) {
        #expect(TimeOfDay(text) == nil)
    }

    private static func device(_ wish: Device.Wish? = nil) throws -> Device {
        var device = Device(try #require(HardwareAddress("02:00:00:00:00:01")), at: .seconds(100))
        device.wish = wish
        return device
    }

    private static func decide(
        _ device: Device, _ settings: DeviceSettings, at now: Duration = .seconds(200),
        _ time: String = "12:00"
    ) throws -> Decision {
        Decision(
            for: device, settings, default: standard, now: now,
            local: try Self.time(.mon, time))
    }

    @Test func `an administrator comes before the schedule, and that before the device`() throws {
        var settings = DeviceSettings()
        settings.choice = Self.own
        settings.schedule = [try Self.entry("22:00", "07:00")]
        let choice = NetworkChoice(title: "wish", conditions: nil)
        let page = Device.Wish(choice: choice, isFromPage: true)
        let command = Device.Wish(choice: choice, isFromPage: false)

        #expect(try Self.decide(Self.device(), settings).reason == .settings)
        #expect(try Self.decide(Self.device(), settings, "23:00").reason == .schedule)
        #expect(try Self.decide(Self.device(page), settings).reason == .page)
        #expect(try Self.decide(Self.device(page), settings, "23:00").reason == .schedule)
        #expect(try Self.decide(Self.device(command), settings, "23:00").reason == .command)
        #expect(try Self.decide(Self.device(), DeviceSettings()).reason == .default)
    }

    @Test func `limits end wishes and settings`() throws {
        var settings = DeviceSettings()
        settings.choice = Self.own
        settings.limit = .seconds(60)
        let wish = Device.Wish(
            choice: Self.night, until: .seconds(150), isFromPage: false)
        #expect(try Self.decide(Self.device(wish), settings, at: .seconds(149)).reason == .command)
        #expect(try Self.decide(Self.device(wish), settings, at: .seconds(151)).reason == .settings)
        let late = try Self.decide(Self.device(wish), settings, at: .seconds(161))
        #expect(late.reason == .default)
        #expect(late.choice == Self.standard)
    }

    @Test func `the profile says what costs money unless the settings do`() throws {
        var settings = DeviceSettings()
        settings.choice = NetworkChoice(title: "LTE", conditions: nil, isExpensive: true)
        #expect(try Self.decide(Self.device(), settings).isExpensive)
        settings.isExpensive = false
        #expect(try !Self.decide(Self.device(), settings).isExpensive)
    }
}
