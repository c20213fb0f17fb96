import ArgumentParser
import FoundationEssentials
import Gateway
import LinkModel
import LinuxKernel
import UserCatalog

/// `linkcond gateway`
struct GatewayCommand: ParsableCommand {
    /// Whether devices have a page.
    enum PageChoice: String, CaseIterable, ExpressibleByArgument {
        case on, off
    }

    static let configuration = CommandConfiguration(
        commandName: "gateway",
        abstract: "Makes this host the router of other devices, each with a network of its own.",
        usage: "linkcond gateway -i <interface> --uplink <interface> [<options>]\n"
            + "linkcond gateway <subcommand>",
        discussion: HelpScreen.discussion(
            """
            Devices behind the interface get addresses and names (dnsmasq) and reach the outside by \
            the uplink. Each has the conditions of a profile of its own, and can choose another at \
            http://linkcond.box/. Ctrl-C ends it and restores the host.
            """, reference: reference, examples: examples),
        subcommands: [
            GatewayDevicesCommand.self, GatewaySetCommand.self, GatewayGuardCommand.self,
        ])

    private static let reference = """
        IPv6 is given to devices where the uplink has it. A device is named by the name by which it \
        asks for an address, by its hardware address or by an IP address. At most 100 devices can \
        have conditions at a time. A device with an expensive profile gets DHCP option 43 with \
        ANDROID_METERED. --file names a gateway.yaml with devices, schedules and the profiles that \
        the page offers.
        """

    private static let examples = """
        sudo linkcond gateway -i wlan0 --uplink eth0 --default LTE
        sudo linkcond gateway -i eth1 --uplink eth0 --device my-phone=3G
        sudo linkcond gateway -i wlan0 --uplink eth0 --wifi Lab --passphrase 'long enough'
        linkcond gateway devices
        sudo linkcond gateway set my-phone Edge --for 10m
        """

    @Option(
        name: [.short, .customLong("interface")],
        help: ArgumentHelp("The interface of the devices.", valueName: "interface"),
        completion: .interfaces)
    var interface: String?

    @Option(
        help: ArgumentHelp("The interface to the outside.", valueName: "interface"),
        completion: .interfaces)
    var uplink: String?

    @Option(help: "The gateway's address and the prefix of its network.")
    var address = "192.168.77.1/24"

    @Option(
        name: .customLong("default"),
        help: ArgumentHelp("What other devices get; none unless given.", valueName: "profile"),
        completion: .profiles)
    var standard: String?

    @Option(
        help: ArgumentHelp(
            "What a device gets; may be given several times.", valueName: "device=profile"))
    var device: [String] = []

    @Option(help: "Read devices and schedules from a gateway.yaml.", completion: .file())
    var file: String?

    @Option(help: "Whether devices have a page (default: on).")
    var page: PageChoice?

    @Flag(help: "Every device may change all devices on the page.")
    var pageAdmin = false

    @Option(
        help: ArgumentHelp(
            "Ask this DNS server.", more: "May be given several times. Default: those of the host.",
            valueName: "address"))
    var dns: [String] = []

    @Option(help: ArgumentHelp("Make a Wi-Fi network with hostapd.", valueName: "name"))
    var wifi: String?

    @Option(help: ArgumentHelp("The passphrase of the Wi-Fi network.", valueName: "text"))
    var passphrase: String?

    @Flag(help: "Print hostapd's configuration; change nothing.")
    var printHostapd = false

    @Option(help: "The data plane that applies the conditions.")
    var backend = Backend.auto

    @OptionGroup var global: GlobalOptions

    func run() throws {
        let console = global.console
        let (configuration, wireless) = try read()
        guard let interface else { throw missing("-i") }
        if printHostapd {
            guard let wireless else {
                throw UsageError(description: "--print-hostapd needs --wifi NAME")
            }
            return try console.print(wireless.hostapd(on: interface))
        }
        guard let uplink else { throw missing("--uplink") }
        var request = GatewayRequest(
            try GatewayNetwork(inner: interface, uplink: uplink, address: address), configuration,
            environment: ProcessInfo.processInfo.environment)
        request.wireless = wireless
        request.backend = backend
        request.nameServers = try dns.map { text in
            guard let server = IPAddress(text) else {
                throw UsageError(
                    description: "--dns \(text): is not an address, such as 192.0.2.53")
            }
            return server
        }
        try Gateway.run(request) { console.report($0) }
    }

    private func missing(_ option: String) -> UsageError {
        UsageError(
            description: "\(option) is missing; name both interfaces, as in: "
                + "linkcond gateway -i wlan0 --uplink eth0")
    }

    private func read() throws -> (GatewayConfiguration, WirelessNetwork?) {
        let content = try file.map(GatewayFile.read)
        var configuration = content?.configuration ?? GatewayConfiguration()
        if let standard { configuration.standard = try .named(standard) }
        for text in device {
            guard let sign = text.firstIndex(of: "="), sign != text.startIndex else {
                throw UsageError(
                    description: "--device \(text): write DEVICE=PROFILE, as in my-phone=3G")
            }
            configuration.set(
                DeviceKey(String(text[..<sign])),
                try .named(String(text[text.index(after: sign)...])))
        }
        if let page { configuration.hasPage = page == .on }
        configuration.isPageForAll = pageAdmin
        if configuration.offers.isEmpty {
            configuration.offers = try GatewayConfiguration.usualOffers.map { try .named($0) }
        }
        let name = wifi ?? content?.wifi?.name
        let wireless = try name.map {
            try WirelessNetwork(name: $0, passphrase: passphrase ?? content?.wifi?.passphrase)
        }
        return (configuration, wireless)
    }
}
