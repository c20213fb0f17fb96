import LinkUnits
import LinuxKernel
import Multipath
import Netlink

/// Multipath TCP connections with their subflows, for people.
enum MultipathTable {
    private static let indentation = "  "

    /// A paragraph for each connection with a line for each path; empty if there are none.
    static func text(_ connections: [MultipathConnection], isStyled: Bool) -> String {
        connections.map { connection in
            let heading = "Multipath TCP to \(connection.remote)"
            return (isStyled ? Style.bold(heading) : heading) + "\n"
                + lines(of: connection, isStyled: isStyled).map { indentation + $0 + "\n" }.joined()
        }.joined(separator: "\n")
    }

    /// The paths. Addresses that are too long for the table get a line each.
    private static func lines(
        of connection: MultipathConnection, isStyled: Bool
    ) -> [String] {
        let table = table(of: connection, hasAddresses: true)
        let width = WrappedText.terminalWidth - indentation.count
        let isNarrow = table.lines(isStyled: false).allSatisfy { Table.width($0) <= width }
        guard !isNarrow else { return table.lines(isStyled: isStyled) }
        let lines = Self.table(of: connection, hasAddresses: false).lines(isStyled: isStyled)
        return lines.prefix(1)
            + zip(lines.dropFirst(), connection.paths).flatMap { line, path in
                [line, "\(indentation)from \(path.path.local)"]
            }
    }

    private static func table(of connection: MultipathConnection, hasAddresses: Bool) -> Table {
        var table = Table(
            [
                "INTERFACE", "USE", .right("ROUND TRIP"), .right("SENT"), .right("RECEIVED"),
            ] + (hasAddresses ? ["FROM"] : []))
        for path in connection.paths {
            table.add(
                [
                    path.interface ?? "-", path.path.isBackup ? "reserve" : "carries",
                    // To a tenth.
                    "\((path.path.roundTripTime.milliseconds * 10).rounded() / 10) ms",
                    "\(path.path.sentBytes) B", "\(path.path.receivedBytes) B",
                ] + (hasAddresses ? [path.path.local.description] : []))
        }
        return table
    }
}
