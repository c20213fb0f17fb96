import ArgumentParser
import Gateway

/// `linkcond gateway devices`
struct GatewayDevicesCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "devices",
        abstract: "Shows the devices behind the running gateway.",
        discussion: """
            Down is toward the device. BY says who decided: the default, the settings of the device \
            in the file or on the command line, its schedule, its own page, or gateway set.

            Examples:
              linkcond gateway devices
              linkcond gateway devices --json | jq '.devices[].name'
            """)

    @Flag(help: "Print JSON, as Profiles/schema/gateway-devices.schema.json describes it.")
    var json = false

    @OptionGroup var global: GlobalOptions

    func run() throws {
        let console = global.console
        let devices = try GatewayClient.devices()
        try console.print(
            json
                ? JSONText.text(of: GatewayDevicesJSON(devices))
                : DeviceText.table(devices, isStyled: console.isStyled))
    }
}
