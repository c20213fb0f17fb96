import DataPlane
import HostConditioning
import LinkModel
import LinkUnits
import ProfileFormat

/// The active conditions, for people.
///
/// Each conditioned interface has a paragraph, so that no line is wider than a terminal: a heading,
/// a line of counters for each direction, and the rest with a label each, wrapped.
enum StatusTable {
    private static let indentation = 2
    private static let labelWidth = 9

    /// A paragraph for each of `conditioned`, or a sentence if nothing is conditioned.
    static func text(_ conditioned: [ConditionedInterface], isStyled: Bool) -> String {
        guard !conditioned.isEmpty else { return "Nothing is conditioned.\n" }
        let table = counters(of: conditioned).lines(isStyled: isStyled)
        // The columns of all paragraphs line up.
        var rows = table.dropFirst()
        let paragraphs = conditioned.map { interface in
            let own = rows.prefix(interface.directions.count)
            rows = rows.dropFirst(own.count)
            let counters = (own.isEmpty ? [] : table.prefix(1)) + own
            return heading(of: interface, isStyled: isStyled)
                + counters.map { String(repeating: " ", count: indentation) + $0 + "\n" }.joined()
                + facts(of: interface)
        }
        return paragraphs.joined(separator: "\n")
    }

    private static func counters(of conditioned: [ConditionedInterface]) -> Table {
        let hasLateness = conditioned.contains { $0.lateness != nil }
        var table = Table(
            [
                "WAY", .right("RATE"), .right("PACKETS"), .right("DROPPED"), .right("LOST"),
                .right("QUEUED"),
            ] + (hasLateness ? [.right("LATE")] : []))
        for interface in conditioned {
            for (direction, way) in ways(of: interface) {
                let counters = way.counters
                table.add(
                    [
                        direction.rawValue, rate(counters.bitsPerSecond), "\(counters.packets)",
                        "\(counters.dropped)", "\(counters.lost)", "\(counters.heldPackets)",
                    ] + (hasLateness ? [text(of: counters.engine?.lateness)] : []))
            }
        }
        return table
    }

    private static func ways(
        of interface: ConditionedInterface
    ) -> [(direction: Direction, way: ConditionedDirection)] {
        [Direction.down, .up].compactMap { direction in
            interface.directions[direction].map { (direction, $0) }
        }
    }

    private static func heading(of interface: ConditionedInterface, isStyled: Bool) -> String {
        let names =
            interface.interface
            + (interface.name == ApplyRequest.defaultName ? "" : " (\(interface.name))")
        let lines = WrappedText.lines(
            of: "\(names): \(interface.profile)".printable,
            width: WrappedText.terminalWidth - indentation, breaksWords: true)
        return lines.enumerated().map { index, line in
            String(repeating: " ", count: index == 0 ? 0 : indentation)
                + (isStyled ? Style.bold(line) : line) + "\n"
        }.joined()
    }

    private static func facts(of interface: ConditionedInterface) -> String {
        var facts = ways(of: interface).map { direction, way in
            let dns = direction == .up ? interface.dnsDelay : nil
            return (
                direction.rawValue,
                ProfileWriter.line(of: way.conditions)
                    + (dns.map { ", DNS \($0.unitText) later" } ?? "")
            )
        }
        facts.append(("traffic", interface.selectors.joined(separator: " ")))
        facts.append(("backend", interface.plane.rawValue))
        facts.append(("since", "\(Timestamp.text(interface.since)) until \(until(interface))"))
        facts.append(("problem", interface.problem ?? ""))
        return facts.map { label, value in
            WrappedText.labelled(
                label, value.printable, labelWidth: labelWidth, indentation: indentation,
                breaksWords: true)
        }.joined()
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

    /// The rate with three digits; an estimate is not more precise.
    static func rate(_ bitsPerSecond: UInt64) -> String {
        guard bitsPerSecond >= 1000 else { return "\(bitsPerSecond) bit/s" }
        var step: UInt64 = 1
        while bitsPerSecond / step >= 1000 { step *= 10 }
        return Bandwidth.bitsPerSecond(bitsPerSecond / step * step).description
    }
}
