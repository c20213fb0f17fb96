import LinuxKernel
import Netlink

/// The way of new connections while the preferred interface silently drops everything.
///
/// A connection gets its further paths only once its first one stands, so that one has to start
/// elsewhere. A routing table of its own has the default routes of another interface then, for TCP
/// and for name queries, as far as a socket is not bound to an address or interface. Otherwise the
/// table is empty and changes nothing.
struct BypassRoute: Hashable {
    /// The interface by which connections start.
    let interface: Int32
    private let gateways: [IPAddress]

    private static let table: UInt32 = 99
    /// After the rules that keep packets with an interface's address at this interface, which
    /// existing connections use.
    private static let priority: UInt32 = 2000
    private static let mainTable: UInt32 = 254
    private static let portOfNames: UInt16 = 53

    /// Nil if the preferred interface answers, or no other one does.
    ///
    /// - Parameter interfaces: The interfaces, most preferred first.
    init?(_ interfaces: [MultipathPlan.Interface], _ verdict: EchoRounds.Verdict) {
        guard let first = interfaces.first, verdict.silent.contains(first.index) else { return nil }
        let others = interfaces.filter { !verdict.silent.contains($0.index) }
        guard let other = others.first(where: { $0.index == verdict.quickest }) ?? others.first
        else { return nil }
        interface = other.index
        gateways = other.gateways
    }

    /// The rules that make the kernel look into the table.
    static var rules: [NetlinkMessage] {
        let flows: [(transport: UInt8, port: UInt16?)] = [
            (IPProtocol.tcp, nil), (IPProtocol.udp, portOfNames),
        ]
        return flows.flatMap { flow in
            [false, true].flatMap { isIPv6 in
                // Networks that are nearer than the default routes stay reachable.
                [(priority, mainTable, true), (priority + 1, table, false)].map {
                    RoutingRule(
                        priority: $0, table: $1, isIPv6: isIPv6, transport: flow.transport,
                        destinationPort: flow.port, passesDefaultsOver: $2
                    ).add()
                }
            }
        }
    }

    /// Fills the table.
    var begin: [NetlinkMessage] {
        gateways.map { Route.addDefault(via: $0, on: interface, table: Self.table) }
    }

    /// Empties the table.
    var end: [NetlinkMessage] {
        gateways.map { Route.deleteDefault(via: $0, on: interface, table: Self.table) }
    }
}
