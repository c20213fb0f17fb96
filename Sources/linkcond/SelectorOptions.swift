import ArgumentParser
import DataPlane
import HostConditioning
import KernelPlane
import UserCatalog

/// Options that select the traffic to condition.
struct SelectorOptions: ParsableArguments {
    /// The IP versions to condition, an option of Apple's tool.
    enum Family: String, CaseIterable, ExpressibleByArgument {
        case all, ipv4, ipv6

        var addressFamily: AddressFamily? { AddressFamily(rawValue: rawValue) }
    }

    @Option(
        name: .customLong("to"),
        help: ArgumentHelp(
            "Only traffic with this network or host at the far end.",
            more: "A network, an address, or a name that is looked up again and again; all options "
                + "of this group may be given several times.",
            valueName: "host"))
    var to: [String] = []

    @Option(
        name: .customLong("from"),
        help: ArgumentHelp(
            "The same at the near end.", more: "An address or a network.", valueName: "cidr"))
    var from: [String] = []

    @Option(
        name: .customLong("port"),
        help: ArgumentHelp(
            "Only TCP and UDP with this port at either end.",
            more: "Or one of this port range.", valueName: "n[-m]"))
    var ports: [String] = []

    @Option(
        name: .customLong("to-port"),
        help: ArgumentHelp("The same at the far end.", valueName: "n[-m]"))
    var toPorts: [String] = []

    @Option(
        name: .customLong("from-port"),
        help: ArgumentHelp("The same at the near end.", valueName: "n[-m]"))
    var fromPorts: [String] = []

    @Option(
        name: .customLong("protocol"),
        help: ArgumentHelp("Only tcp, udp or icmp.", valueName: "name"),
        completion: .list(["tcp", "udp", "icmp"]))
    var protocols: [String] = []

    @Option(
        name: .customLong("user"),
        help: ArgumentHelp(
            "Only traffic of this user's programs.", more: "A name or a number.",
            valueName: "user"),
        completion: .users)
    var users: [String] = []

    @Option(
        name: .customLong("cgroup"),
        help: ArgumentHelp(
            "Only traffic of programs in this control group.",
            more: "Such as /system.slice/nginx.service, and of groups below it.",
            valueName: "path"))
    var groups: [String] = []

    @Option(
        name: .customLong("unit"),
        help: ArgumentHelp(
            "Only traffic of this systemd unit's programs.",
            more: "Such as nginx; its control group, as with --cgroup.", valueName: "unit"))
    var units: [String] = []

    @Option(
        name: .customLong("process"),
        help: ArgumentHelp(
            "Only traffic of programs with this name.",
            more: "Such as firefox; all of its processes, also those that start later.",
            valueName: "name"),
        completion: .processes)
    var processes: [String] = []

    @Option(
        name: .customLong("except"),
        help: ArgumentHelp(
            "Exclude traffic, such as port=22.",
            more: "Or to=192.0.2.0/24,protocol=udp.", valueName: "kind=value"))
    var exceptions: [String] = []

    @Option(help: "The IP version.")
    var family = Family.all

    /// Whether any of the options is given.
    var areGiven: Bool {
        family != .all
            || [
                to, from, ports, toPorts, fromPorts, protocols, users, groups, units, processes,
                exceptions,
            ].contains { !$0.isEmpty }
    }

    /// The traffic selected by the options.
    func selector() throws -> TrafficSelector {
        let ofUnits = try units.map { try ServiceUnit($0).controlGroup() }
        var selector: TrafficSelector
        do {
            selector = try TrafficSelector(
                family: family.addressFamily, to: to, from: from, ports: ports, toPorts: toPorts,
                fromPorts: fromPorts, protocols: protocols, users: users,
                groups: groups + ofUnits, processes: processes, exceptions: exceptions)
            try selector.lookUpNames()
        } catch {
            throw UsageError(description: error.description)
        }
        for group in selector.included.groups {
            guard let lack = group.lack else { continue }
            throw UsageError(description: "--cgroup \(group): \(lack)")
        }
        return selector
    }
}
