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
        let hasLimits = conditioned.contains { $0.limit != nil || $0.command != nil }
        let hasLateness = conditioned.contains { $0.lateness != nil }
        var columns: [Table.Column] = [
            "INTERFACE", "PROFILE", "WAY", "BACKEND", .right("RATE"), .right("PACKETS"),
            .right("DROPPED"), .right("LOST"), .right("QUEUED"),
        ]
        if hasLateness { columns.append(.right("LATE")) }
        columns.append("SINCE")
        if hasLimits { columns.append("UNTIL") }
        columns.append("CONDITIONS")
        var table = Table(columns)
        for interface in conditioned {
            let names =
                interface.interface
                + (interface.name == ApplyRequest.defaultName ? "" : " (\(interface.name))")
            for direction in [Direction.down, .up] {
                guard let way = interface.directions[direction] else { continue }
                let counters = way.counters
                var cells = [
                    names, interface.profile, direction.rawValue, interface.plane.rawValue,
                    rate(counters.bitsPerSecond), "\(counters.packets)", "\(counters.dropped)",
                    "\(counters.lost)", "\(counters.heldPackets)",
                ]
                if hasLateness { cells.append(text(of: counters.engine?.lateness)) }
                cells.append(Timestamp.text(interface.since))
                if hasLimits { cells.append(until(interface)) }
                table.add(cells + [conditions(way, direction, interface)])
            }
        }
        return table.text(isStyled: isStyled) + problems.joined()
    }

    private static func until(_ interface: ConditionedInterface) -> String {
        let ends = [
            interface.limit?.until.map(Timestamp.text),
            interface.limit?.process.map { "exit of process \($0)" },
            interface.command.map { _ in "end of the run" },
        ]
        let text = ends.compactMap { $0 }.joined(separator: " or ")
        return text.isEmpty ? "linkcond clear" : text
    }

    /// What one packet in a hundred exceeded.
    private static func text(of lateness: EngineCounters.Lateness?) -> String {
        lateness.map { Duration.microseconds($0.p99.rounded()).unitText } ?? "-"
    }

    /// The run in whose network the caller is, one line for each link; empty outside of runs.
    static func text(ofRun links: [ConditionedInterface]) -> String {
        links.map { link in
            let ways = [Direction.down, .up].compactMap { way in
                link.directions[way].map {
                    "\(way.rawValue) \(ProfileWriter.line(of: $0.conditions))"
                }
            }
            let late = link.lateness.map { "; 1% of packets more than \(text(of: $0)) late" } ?? ""
            let conditions = "\(link.profile) (\(ways.joined(separator: "; ")))"
            let line = "Run: \(link.interface) is \(conditions), until \(until(link))\(late)"
            return line.printable + "\n"
        }.joined()
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
