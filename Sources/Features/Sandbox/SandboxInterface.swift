public import LinkModel
public import NetworkPath

/// An interface of a command in a sandbox, with its link.
public struct SandboxInterface: Sendable, Hashable {
    /// The name of a sandbox's interface if the user asked for no others.
    public static let onlyName = "eth0"
    /// The most interfaces of a sandbox.
    public static let limit = 15

    /// Its name, such as `wifi0`.
    public var name: String
    /// The conditions of its link.
    public var conditions: LinkConditions
    /// The display name of the conditions.
    public var profile: String
    /// What the command sees of it, apart from its conditions.
    public var mark: NetworkMark
    /// Whether it exists from the start; otherwise it appears later.
    public var isPresent: Bool
    /// Whether the command's TCP connections end when it goes down or vanishes.
    public var endsConnections: Bool

    /// Describes an interface.
    public init(
        name: String = SandboxInterface.onlyName, conditions: LinkConditions, profile: String,
        mark: NetworkMark = NetworkMark(), isPresent: Bool = true, endsConnections: Bool = true
    ) {
        self.name = name
        self.conditions = conditions
        self.profile = profile
        self.mark = mark
        self.isPresent = isPresent
        self.endsConnections = endsConnections
    }

    /// The problem with a name, to be written after `name: `; nil for a valid one.
    public static func problem(ofName name: String) -> String? {
        guard (1...15).contains(name.utf8.count) else {
            return "the name of an interface has 1 to 15 characters"
        }
        let isPlain = name.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"):
                true
            default: "-_.".utf8.contains(byte)
            }
        }
        guard isPlain, name.utf8.first.map({ $0 != UInt8(ascii: ".") }) == true else {
            return "the name of an interface has letters, digits, hyphens, underscores and full "
                + "stops, and does not begin with a full stop"
        }
        return reservedNames.contains(name)
            ? "the name belongs to something else; choose another, such as \(name)0" : nil
    }

    /// The loopback, its wire (`LoopbackWire`), and the kernel's names for all interfaces.
    private static let reservedNames: Set<String> = ["lo", "lo-link", "all", "default"]

    /// The problem with this set of interfaces, in a sentence; nil if there is none.
    public static func problem(of interfaces: [SandboxInterface]) -> String? {
        guard !interfaces.isEmpty else { return "a sandbox has at least one interface" }
        guard interfaces.count <= limit else {
            return "a sandbox has at most \(limit) interfaces, not \(interfaces.count)"
        }
        var names: Set<String> = []
        for interface in interfaces {
            if let problem = problem(ofName: interface.name) {
                return "\(interface.name): \(problem)"
            }
            guard names.insert(interface.name).inserted else {
                return "\(interface.name): there are two interfaces of this name; rename one"
            }
        }
        return nil
    }
}
