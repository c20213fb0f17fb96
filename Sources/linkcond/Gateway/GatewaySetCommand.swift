import ArgumentParser
import Gateway
import LinkUnits
import UserCatalog

/// `linkcond gateway set`
struct GatewaySetCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "set",
        abstract: "Gives a device behind the running gateway another network.",
        discussion: """
            It comes before the device's schedule and its own choice. With none the device's \
            traffic just passes; with auto it gets again what is written for it.

            Examples:
              sudo linkcond gateway set my-phone 3G
              sudo linkcond gateway set 192.168.77.20 LTE --set down.loss=2% --for 10m
              sudo linkcond gateway set my-phone auto
            """)

    @Argument(help: "Its name, its hardware address or an IP address of it.")
    var device: String

    @Argument(help: "The profile, none, or auto.", completion: .profiles)
    var profile: String

    @Option(
        name: .customLong("set"),
        help: ArgumentHelp("Change a field of the profile.", valueName: "field=value"),
        completion: .settings)
    var settings: [String] = []

    @Option(
        name: .customLong("for"),
        help: ArgumentHelp("For this time, such as 10m.", valueName: "duration"),
        transform: DurationArgument.parse)
    var duration: Duration?

    @OptionGroup var global: GlobalOptions

    func validate() throws {
        if let duration { try TimeLimitOptions.validate(duration) }
    }

    func run() throws {
        let choice: NetworkChoice?
        if profile.lowercased() == "auto" {
            guard settings.isEmpty, duration == nil else {
                throw UsageError(description: "auto: goes with neither --set nor --for")
            }
            choice = nil
        } else {
            choice = try .named(profile, settings: settings)
        }
        let devices = try GatewayClient.set(device, choice, for: duration)
        for device in devices { global.console.report(DeviceText.line(device)) }
    }
}
