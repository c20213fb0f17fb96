import CNetlink

/// The handle of a qdisc (`1c0d:`) or class (`1c0d:1`), or one of the kernel's fixed parents.
public struct QdiscHandle: Sendable, Hashable, CustomStringConvertible {
    /// Major number in the upper half, minor number in the lower.
    public let rawValue: UInt32

    /// Wraps the kernel's number.
    public init(rawValue: UInt32) {
        self.rawValue = rawValue
    }

    /// Makes a handle; the minor number of a qdisc is zero.
    public init(major: UInt16, minor: UInt16 = 0) {
        rawValue = UInt32(major) << 16 | UInt32(minor)
    }

    /// The parent of an interface's root qdisc.
    public static let root = QdiscHandle(rawValue: 0xffff_ffff)
    /// The parent of `clsact` and `ingress`.
    public static let clsact = QdiscHandle(rawValue: 0xffff_fff1)
    /// The parent of filters for arriving packets.
    public static let clsactIngress = QdiscHandle(rawValue: 0xffff_fff2)
    /// The parent of filters for departing packets.
    public static let clsactEgress = QdiscHandle(rawValue: 0xffff_fff3)

    /// The major number.
    public var major: UInt16 { UInt16(rawValue >> 16) }
    /// The minor number.
    public var minor: UInt16 { UInt16(rawValue & 0xffff) }

    /// The class of this qdisc with this minor number.
    public func child(_ minor: UInt16) -> QdiscHandle { QdiscHandle(major: major, minor: minor) }

    /// The handle as tc prints it.
    public var description: String {
        switch self {
        case .root: "root"
        case .clsact: "clsact"
        case .clsactIngress: "ingress"
        case .clsactEgress: "egress"
        default:
            String(major, radix: 16) + ":" + (minor == 0 ? "" : String(minor, radix: 16))
        }
    }

    /// The handle as a tc argument: `root`, `parent 1c0d:1`, `egress`.
    var tcParent: String {
        switch self {
        case .root, .clsact, .clsactIngress, .clsactEgress: description
        default: "parent \(description)"
        }
    }
}

extension tcmsg {
    /// The fixed part of a message about an object of traffic control.
    init(
        interface: Int32, handle: QdiscHandle = QdiscHandle(major: 0),
        parent: QdiscHandle = QdiscHandle(major: 0)
    ) {
        self.init()
        tcm_ifindex = interface
        tcm_handle = handle.rawValue
        tcm_parent = parent.rawValue
    }
}
