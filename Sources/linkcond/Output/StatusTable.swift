import DataPlane
import HostConditioning
import LinkModel
import LinkUnits
import ProfileFormat

/// The active conditions, for people.
enum StatusTable {
    /// One line for each direction, or a sentence if nothing is conditioned.
    static func text(_ conditioned: [ConditionedInterface], isStyled: Bool) -> String {
        guard !conditioned.isEmpty else { return "Nothing is conditioned.\n" }
        let problems = conditioned.compactMap { interface in
            interface.problem.map { "\(interface.interface): \($0)".printable + "\n" }
        }
        guard !conditioned.allSatisfy(\.directions.isEmpty) else { return problems.joined() }
        // Process limits share the column of times; they are rare.
        let hasLimits = conditioned.contains { $0.limit != nil }
        var table = Table(
            [
                "INTERFACE", "PROFILE", "WAY", "BACKEND", .right("RATE"), .right("PACKETS"),
                .right("DROPPED"), .right("LOST"), .right("QUEUED"), "SINCE",
            ] + (hasLimits ? ["UNTIL"] : []) + ["CONDITIONS"])
        for interface in conditioned {
            let names =
                interface.interface
                + (interface.name == ApplyRequest.defaultName ? "" : " (\(interface.name))")
            for direction in [Direction.down, .up] {
                guard let way = interface.directions[direction] else { continue }
                let counters = way.counters
                table.add(
                    [
                        names, interface.profile, direction.rawValue, interface.plane.rawValue,
                        rate(counters.bitsPerSecond), "\(counters.packets)", "\(counters.dropped)",
                        "\(counters.lost)", "\(counters.heldPackets)",
                        Timestamp.text(interface.since),
                    ] + (hasLimits ? [until(interface.limit)] : [])
                        + [conditions(way, direction, interface)])
            }
        }
        return table.text(isStyled: isStyled) + problems.joined()
    }

    private static func until(_ limit: TimeLimit?) -> String {
        guard let limit else { return "linkcond clear" }
        let ends = [
            limit.until.map(Timestamp.text), limit.process.map { "exit of process \($0)" },
        ]
        return ends.compactMap { $0 }.joined(separator: " or ")
    }

    private static func conditions(
        _ way: ConditionedDirection, _ direction: Direction, _ interface: ConditionedInterface
    ) -> String {
        let dns = direction == .up ? interface.dnsDelay : nil
        return (interface.selectors + [ProfileWriter.line(of: way.conditions)])
            .joined(separator: ", ")
            + (dns.map { ", DNS \($0.unitText) later" } ?? "")
    }

    /// The rate with three digits; an estimate is not more precise.
    private static func rate(_ bitsPerSecond: UInt64) -> String {
        guard bitsPerSecond >= 1000 else { return "\(bitsPerSecond) bit/s" }
        var step: UInt64 = 1
        while bitsPerSecond / step >= 1000 { step *= 10 }
        return Bandwidth.bitsPerSecond(bitsPerSecond / step * step).description
    }
}
