import LinkModel
import LinkUnits
import LinuxKernel
import Netlink

/// A Multipath TCP connection in `status --json`.
public struct MultipathJSON: Encodable {
    let remote: String
    let paths: [Path]

    /// One of its subflows.
    struct Path: Encodable {
        @OrNull var interface: String?
        let local: String
        let remote: String
        let reserve: Bool
        let roundTripMilliseconds: Double
        let sentBytes: UInt64
        let receivedBytes: UInt64
    }

    /// Makes the object for a connection.
    public init(_ connection: MultipathConnection) {
        remote = connection.remote.description
        paths = connection.paths.map { path in
            Path(
                interface: path.interface, local: path.path.local.description,
                remote: path.path.remote.description, reserve: path.path.isBackup,
                roundTripMilliseconds: path.path.roundTripTime.milliseconds,
                sentBytes: path.path.sentBytes, receivedBytes: path.path.receivedBytes)
        }
    }
}
