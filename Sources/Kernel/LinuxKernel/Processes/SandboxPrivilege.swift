import CLinux

/// A privilege that linkcond uses, with the number that capabilities(7) gives it.
public enum Capability: Int, Sendable, Hashable {
    case netAdmin = 12
    case netRaw = 13
    case sysAdmin = 21
    case sysNice = 23

    /// Its name as container runtimes write it.
    var name: String {
        switch self {
        case .netAdmin: "NET_ADMIN"
        case .netRaw: "NET_RAW"
        case .sysAdmin: "SYS_ADMIN"
        case .sysNice: "SYS_NICE"
        }
    }

    /// Its bit in a set of capabilities.
    var bit: UInt64 { 1 << UInt64(rawValue) }
}

/// What a caller has of the privileges that make a sandbox without a user namespace.
public struct SandboxPrivilege: Sendable, Hashable {
    /// Whether the caller is root.
    public let isRoot: Bool
    /// What the caller lacks.
    public let missing: [Capability]

    /// For namespaces and mounts, for interfaces, and for the packet engine.
    private static let needed: [Capability] = [.sysAdmin, .netAdmin, .netRaw]

    /// What a caller has who lacks this.
    public init(isRoot: Bool, missing: [Capability]) {
        (self.isRoot, self.missing) = (isRoot, missing)
    }

    /// What a caller has with this set of capabilities.
    init(isRoot: Bool, capabilities: UInt64) {
        self.init(isRoot: isRoot, missing: Self.needed.filter { capabilities & $0.bit == 0 })
    }

    /// What the calling thread has.
    public static var ofCaller: SandboxPrivilege {
        SandboxPrivilege(isRoot: Privilege.isRoot, capabilities: lc_capabilities())
    }

    /// Whether nothing is missing.
    public var isComplete: Bool { missing.isEmpty }

    /// The options that give a container's root all of it. AppArmor would forbid the mounts.
    public static let optionsOfContainer = options(giving: needed)

    /// The options with which a container lets its users make a sandbox in a user namespace. Who does
    /// not see all of /proc, a part of which container runtimes hide, may not mount another one there.
    public static let optionsForUsers =
        "--security-opt seccomp=unconfined --security-opt apparmor=unconfined "
        + "--security-opt systempaths=unconfined (Podman: unmask=ALL)"

    /// What to do about a lack of privileges, as the end of a sentence.
    public var hint: String {
        guard isRoot else { return "; run it with sudo" }
        guard !isComplete else { return "" }
        let options = Self.options(giving: missing)
        return "; root lacks \(names) here, which a container gets by \(options)"
    }

    /// The names of what is missing.
    public var names: String {
        let names = missing.map { "CAP_\($0.name)" }
        let first = names.dropLast().joined(separator: ", ")
        return first.isEmpty ? names.joined() : "\(first) and \(names[names.count - 1])"
    }

    private static func options(giving capabilities: [Capability]) -> String {
        let added = capabilities.map { "--cap-add \($0.name)" }
        let mounts = capabilities.contains(.sysAdmin) ? ["--security-opt apparmor=unconfined"] : []
        return (added + mounts).joined(separator: " ")
    }
}
