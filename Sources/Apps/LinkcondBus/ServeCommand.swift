import Bus
import LinuxKernel
import NetworkFacade
import Synchronization
import SystemPackage

/// `linkcond-bus serve [--portal]`: a sandbox's bus with the services that programs ask for the
/// network state.
///
/// When programs can start, it prints the environment variables that lead to the bus, one per line,
/// and then `ready`. Any other output says why it ends.
struct ServeCommand {
    let hasPortal: Bool

    private enum Token: UInt64 {
        case bus, network, daemon
    }

    func run() throws -> Never {
        let watch = try NetworkWatch()
        var facade = NetworkFacade(try watch.first())
        let daemon = try BusDaemon.start(startsServices: hasPortal)
        let bus = try BusConnection(address: daemon.address)
        let events = try EventQueue()
        try events.watch(bus.descriptor, token: Token.bus.rawValue, .level)
        try events.watch(daemon.descriptor, token: Token.daemon.rawValue, .level)
        try watch.wake(events, token: Token.network.rawValue)
        try bus.own(NetworkManagerClient.standInName)
        try bus.own(NetworkFacade.networkManager)
        if hasPortal { try bus.own(NetworkFacade.portal) }
        sayReady(daemon.address)
        while true {
            while let message = try bus.next() { try answer(message, facade, bus) }
            for signal in facade.update(to: try watch.current()) {
                try bus.emit(signal.path, signal.interface, signal.member, signal.arguments)
            }
            for event in try events.wait(timeout: nil) where event.token == Token.daemon.rawValue {
                daemon.listen()
            }
        }
    }

    private func answer(
        _ message: BusMessage, _ facade: NetworkFacade, _ bus: BusConnection
    ) throws {
        guard message.kind == .call else { return }
        let answer =
            (try? message.arguments()).map {
                facade.answer(message.path, message.interface, message.member, $0)
            } ?? .refusal(name: "org.freedesktop.DBus.Error.InvalidArgs", text: "unreadable")
        switch answer {
        case .values(let values): try bus.answer(message, with: values)
        case .refusal(let name, let text): try bus.refuse(message, name, text)
        }
    }

    private func sayReady(_ address: String) {
        var variables = [
            "DBUS_SYSTEM_BUS_ADDRESS": address,
            // Otherwise a program in its own container would choose another monitor.
            "GIO_USE_NETWORK_MONITOR": hasPortal ? "portal" : "networkmanager",
        ]
        if hasPortal {
            variables["DBUS_SESSION_BUS_ADDRESS"] = address
            // The first is for GLib up to 2.76, the second for later versions.
            variables["GTK_USE_PORTAL"] = "1"
            variables["GIO_USE_PORTALS"] = "1"
        }
        for (name, value) in variables.sorted(by: { $0.key < $1.key }) { print("\(name)=\(value)") }
        print("ready")
        StandardStreams.silence()
    }
}
