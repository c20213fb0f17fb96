import LinkUnits
import LinuxKernel
import Multipath
import Netlink

/// Multipath TCP connections with their subflows, for people.
enum MultipathTable {
    /// A line for each path; empty if there are none.
    static func text(_ connections: [MultipathConnection], isStyled: Bool) -> String {
        guard !connections.isEmpty else { return "" }
        var table = Table([
            "MULTIPATH TO", "INTERFACE", "FROM", "USE", .right("ROUND TRIP"), .right("SENT"),
            .right("RECEIVED"),
        ])
        for connection in connections {
            for path in connection.paths {
                table.add([
                    connection.remote.description, path.interface ?? "-",
                    path.path.local.description, path.path.isBackup ? "reserve" : "carries",
                    // To a tenth.
                    "\((path.path.roundTripTime.milliseconds * 10).rounded() / 10) ms",
                    "\(path.path.sentBytes) B", "\(path.path.receivedBytes) B",
                ])
            }
        }
        return table.text(isStyled: isStyled)
    }
}
