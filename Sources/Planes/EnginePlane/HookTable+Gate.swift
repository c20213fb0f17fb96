import LinuxKernel

/// The gate of a table: a set that becomes empty when the engine, for whatever reason, has sent no
/// beacon for a while, even if its guardian failed too. Packets are then unconditioned.
extension HookTable {
    /// Accepts all packets while the engine hangs. The set has one element or none, and a rule has
    /// to look something up: here, no bits of the mark.
    static let gateRule = "\(nothing) != @open accept"

    private static let nothing = "meta mark & 0x0"
    private static let time = "\(Int(Heartbeat.limit / .milliseconds(1)))ms"

    /// The veth end to which the engine sends beacons.
    var beaconEnd: String? { ways.first?.redirect.far }

    /// The gate, open at first.
    var gate: [NftTable.Part] {
        guard let near = ways.first?.redirect.near else { return [] }
        return [
            .set(
                "open", "type mark; flags dynamic,timeout; timeout \(Self.time);",
                first: ["0x0 timeout \(Self.time)"]),
            .chain(
                "gate", hook: "type filter hook ingress device \"\(near)\" priority 0;",
                [Self.beaconRule]),
        ]
    }

    private static let beaconRule =
        "ether type 0x\(String(BeaconGate.networkProtocol, radix: 16)) "
        + "update @open { \(nothing) timeout \(time) } drop"

    /// One transaction that tries every feature of the tables, and leaves nothing behind.
    static var trial: String {
        let table = "netdev \(namePrefix)trial"
        return """
            add table \(table) { flags owner; }
            add set \(table) open { type mark; flags dynamic,timeout; timeout \(time); }
            add chain \(table) up { type filter hook egress device "lo" priority 0; }
            add rule \(table) up \(gateRule)
            add rule \(table) up meta mark 0x\(String(Redirect.mark, radix: 16)) fwd to "lo"
            add chain \(table) down { type filter hook ingress device "lo" priority 0; }
            add rule \(table) down \(beaconRule)
            add rule \(table) down meta mark set 0 accept
            delete table \(table)
            """
    }
}
