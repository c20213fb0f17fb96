public import Bus

/// The desktop portal's `org.freedesktop.portal.NetworkMonitor`, version 3.
public struct PortalMonitor: Sendable, Hashable {
    /// The object's path.
    public static let path: ObjectPath = "/org/freedesktop/portal/desktop"
    static let interface = "org.freedesktop.portal.NetworkMonitor"
    static let version: UInt32 = 3

    let isAvailable: Bool
    let isMetered: Bool
    /// `GNetworkConnectivity`, whose numbers differ from NetworkManager's.
    let connectivity: UInt32

    init(_ network: ReportedNetwork) {
        isAvailable = [.portal, .everywhere].contains(network.reach)
        isMetered = network.metered.isMetered
        connectivity = network.reach == .portal ? 3 : isAvailable ? 4 : 1
    }

    var properties: ObjectTree.Properties {
        [
            "available": .bool(isAvailable), "metered": .bool(isMetered),
            "connectivity": .uint32(connectivity), "version": .uint32(Self.version),
        ]
    }

    func answer(_ member: String) -> Answer? {
        switch member {
        case "GetStatus":
            .values([.dictionary(properties.filter { $0.key != "version" })])
        case "GetAvailable": .values([.bool(isAvailable)])
        case "GetMetered": .values([.bool(isMetered)])
        case "GetConnectivity": .values([.uint32(connectivity)])
        // Whether there is a path; only a connection can tell whether the host answers.
        case "CanReach": .values([.bool(isAvailable)])
        default: nil
        }
    }
}

/// The reply to a call.
public enum Answer: Sendable, Hashable {
    case values([BusValue])
    case refusal(name: String, text: String)

    static let unknownMethod = Answer.refusal(
        name: "org.freedesktop.DBus.Error.UnknownMethod",
        text: "linkcond's stand-in for this service has no such method")
    static let unknownObject = Answer.refusal(
        name: "org.freedesktop.DBus.Error.UnknownObject",
        text: "linkcond's stand-in for this service has no such object")
    static let unknownProperty = Answer.refusal(
        name: "org.freedesktop.DBus.Error.UnknownProperty",
        text: "linkcond's stand-in for this service has no such property")
    static let readOnly = Answer.refusal(
        name: "org.freedesktop.DBus.Error.PropertyReadOnly",
        text: "this network is linkcond's; change it with linkcond override")
    static let invalidArguments = Answer.refusal(
        name: "org.freedesktop.DBus.Error.InvalidArgs", text: "wrong arguments")
    static let denied = Answer.refusal(
        name: "org.freedesktop.NetworkManager.PermissionDenied",
        text: "this network is linkcond's; change it with linkcond override")
}
