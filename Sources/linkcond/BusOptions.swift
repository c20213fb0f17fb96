import ArgumentParser
import Sandbox

/// Options for the message bus on which the command asks for the network state.
struct BusOptions: ParsableArguments {
    @Flag(
        inversion: .prefixedNo,
        help: ArgumentHelp(
            "Give the command a D-Bus system bus of its own, on which NetworkManager's interface "
                + "tells GLib, Qt, nmcli and others what its network is like, but which has none "
                + "of the host's other services. Default: if one of the options above or the "
                + "profile says expensive or constrained, and the host can do it."))
    var dbus: Bool?

    @Flag(
        help: ArgumentHelp(
            "Give it also a session bus of its own, with the desktop portal's network monitor, "
                + "and have it use the portal; implies --dbus."))
    var portal = false

    func validate() throws {
        guard !portal || dbus != false else {
            throw ValidationError("--portal needs what --no-dbus forbids; leave one of them out")
        }
    }

    /// The bus of the command; nil for the host's.
    ///
    /// - Parameter isOverridden: Whether the user overrides what the network looks like.
    func bus(isOverridden: Bool, _ console: Console) throws(SandboxError) -> SandboxBus? {
        let isRequired = dbus == true || portal
        guard isRequired || (isOverridden && dbus == nil) else { return nil }
        do {
            let bus = try SandboxBus(hasPortal: portal, isRequired: isRequired)
            if !isRequired, SandboxBus.hidesThatOfHost { console.note(Self.hiddenBus) }
            return bus
        } catch  where !isRequired {
            console.explain("\(error); programs that ask D-Bus see the host's network")
            return nil
        }
    }

    private static let hiddenBus =
        "the command gets a D-Bus system bus of its own, with nothing on it but the state of the "
        + "network; --dbus says that you know, --no-dbus leaves it the host's"
}
