import ArgumentParser
import Sandbox

/// Options for the message bus on which the command asks for the network state.
struct BusOptions: ParsableArguments {
    @Flag(
        inversion: .prefixedNo,
        help: ArgumentHelp(
            "Its own D-Bus system bus, with the network's state.",
            more: "It has NetworkManager's interface, for GLib, Qt, nmcli and others, and none of "
                + "the host's other services. Default: on if the profile or one of the options "
                + "above sets expensive or constrained, and the host supports it."))
    var dbus: Bool?

    @Flag(
        help: ArgumentHelp(
            "Its own session bus, with the desktop portal.",
            more: "The portal has its network monitor only, and the command is made to use it; "
                + "implies --dbus."))
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
        try SandboxBus.bus(dbus, hasPortal: portal, isOverridden: isOverridden, console)
    }
}

extension SandboxBus {
    /// The bus of a command; nil for the host's.
    ///
    /// - Parameters:
    ///   - wish: Whether the user wants one; nil if that was not said.
    ///   - hasPortal: Whether the user wants the desktop portal, which implies it.
    ///   - isOverridden: Whether the user overrides what the network looks like.
    static func bus(
        _ wish: Bool? = nil, hasPortal: Bool = false, isOverridden: Bool, _ console: Console
    ) throws(SandboxError) -> SandboxBus? {
        let isRequired = wish == true || hasPortal
        guard isRequired || (isOverridden && wish == nil) else { return nil }
        do {
            let bus = try SandboxBus(hasPortal: hasPortal, isRequired: isRequired)
            if !isRequired, hidesThatOfHost { console.note(hiddenBus) }
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
