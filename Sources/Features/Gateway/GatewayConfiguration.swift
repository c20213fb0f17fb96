/// What the devices behind a gateway get.
public struct GatewayConfiguration: Sendable, Hashable {
    /// What is written for a device.
    public struct Entry: Sendable, Hashable {
        /// The device.
        public var key: DeviceKey
        /// What it gets.
        public var settings: DeviceSettings

        /// Makes an entry.
        public init(_ key: DeviceKey, _ settings: DeviceSettings) {
            (self.key, self.settings) = (key, settings)
        }
    }

    /// What devices get of which nothing is written.
    public var standard = NetworkChoice.none
    /// What is written for devices. The first entry that means a device decides.
    public var entries: [Entry] = []
    /// What the page offers; empty: the usual profiles.
    public var offers: [NetworkChoice] = []
    /// Whether devices have a page; nil: not said.
    public var hasPage: Bool?
    /// Whether every device may change all devices on the page.
    public var isPageForAll = false

    /// Nothing in particular.
    public init() {}

    /// The profiles that the page offers unless a file says otherwise.
    public static let usualOffers = [
        "Wi-Fi", "LTE", "3G", "Edge", "DSL", "Very Bad Network", "High Latency DNS", "100% Loss",
    ]

    /// What is written for a device.
    func settings(for device: Device) -> DeviceSettings {
        entries.first { $0.key.matches(device) }?.settings ?? DeviceSettings()
    }

    /// All choices that may come, to choose a data plane for all of them.
    var choices: [NetworkChoice] {
        [standard] + offers
            + entries.flatMap { entry in
                [entry.settings.choice].compactMap(\.self) + entry.settings.schedule.map(\.choice)
            }
    }

    /// What the command line says of a device, which comes before what a file says: the rest of the
    /// file's entry stays.
    public mutating func set(_ key: DeviceKey, _ choice: NetworkChoice) {
        if let index = entries.firstIndex(where: { $0.key == key }) {
            entries[index].settings.choice = choice
        } else {
            var settings = DeviceSettings()
            settings.choice = choice
            entries.insert(Entry(key, settings), at: 0)
        }
    }
}
