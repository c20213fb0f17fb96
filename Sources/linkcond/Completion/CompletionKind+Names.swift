import ArgumentParser
import Catalog
import DataPlane
import FoundationEssentials
import HostConditioning
import LinkModel
import LinuxKernel
import Override
import UserCatalog

/// The sources of words that a shell can complete. Paths of files need none: see
/// `CommandLineCompletion`.
extension CompletionKind {
    /// The names and aliases of all profiles, with hyphens for blanks.
    static var profiles: CompletionKind { names(UserCatalog.profileNames) }

    /// The names and aliases of all scenarios, with hyphens for blanks.
    static var scenarios: CompletionKind { names(UserCatalog.scenarioNames) }

    /// The names and aliases of all profiles and scenarios.
    static var profilesAndScenarios: CompletionKind {
        names {
            let profiles = UserCatalog.profileNames()
            return profiles + UserCatalog.scenarioNames().filter { !profiles.contains($0) }
        }
    }

    /// Profiles with commas between them.
    static var profileList: CompletionKind { lists(of: UserCatalog.profileNames) }

    /// Scenarios with commas between them.
    static var scenarioList: CompletionKind { lists(of: UserCatalog.scenarioNames) }

    /// The families of profiles.
    static var families: CompletionKind {
        names {
            var seen: Set<String> = []
            return UserCatalog.profiles.all().entries.map(\.profile.family)
                .filter { seen.insert($0).inserted }
        }
    }

    /// The interfaces of the calling process's network namespace.
    static var interfaces: CompletionKind { names(interfaceNames) }

    /// An interface, or `NAME=INTERFACE`.
    static var hostInterfaces: CompletionKind {
        .custom { _, _, typed in
            let head = typed.lastIndex(of: "=").map { String(typed[...$0]) } ?? ""
            return interfaceNames().map { head + $0 }
        }
    }

    /// The named network namespaces.
    static var networkNamespaces: CompletionKind {
        names { entries(of: "/run/netns") }
    }

    /// The names of running containers.
    static var containers: CompletionKind {
        names {
            NetworkTarget.containerNames(environment: ProcessInfo.processInfo.environment)
        }
    }

    /// The names of this host's users.
    static var users: CompletionKind { names(UserAccount.names) }

    /// The names of running programs.
    static var processes: CompletionKind { names { ProcessName.running } }

    /// `NAME=PROFILE,...` for an interface of a run.
    static var interfaceOfRun: CompletionKind {
        .custom { _, _, typed in
            guard let sign = typed.firstIndex(of: "=") else {
                return ["wifi0=", "cell0=", "eth0=", "vpn0="]
            }
            guard let comma = typed.lastIndex(of: ",") else {
                return UserCatalog.profileNames().map { typed[...sign] + $0 }
            }
            let kinds = InterfaceOverride.Kind.allCases.map { "kind=\($0.rawValue)" }
            let words = ["expensive", "inexpensive", "constrained", "unconstrained"] + kinds
            return (words + fieldNames()).map { typed[...comma] + $0 }
        }
    }

    /// `FIELD=` of a profile.
    static var settings: CompletionKind { names(fieldNames) }

    /// The congestion controls that this kernel has loaded.
    static var congestionControls: CompletionKind {
        names {
            let path = "/proc/sys/net/ipv4/tcp_available_congestion_control"
            let text = (try? SmallFile.read(path)) ?? ""
            return text.split { $0.isWhitespace }.map(String.init)
        }
    }

    private static func names(_ names: @escaping @Sendable () -> [String]) -> CompletionKind {
        .custom { _, _, _ in names() }
    }

    private static func lists(of names: @escaping @Sendable () -> [String]) -> CompletionKind {
        .custom { _, _, typed in
            guard let comma = typed.lastIndex(of: ",") else { return names() }
            let taken = typed[..<comma].split(separator: ",").map {
                NameMatching.normalized(String($0))
            }
            return names().filter { !taken.contains(NameMatching.normalized($0)) }
                .map { typed[...comma] + $0 }
        }
    }

    private static func fieldNames() -> [String] {
        ["down", "up"].flatMap { way in ConditionField.keys.map { "\(way).\($0)=" } }
            + ["dns.delay="]
    }

    private static func interfaceNames() -> [String] { entries(of: "/sys/class/net") }

    private static func entries(of directory: String) -> [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []).sorted()
    }
}
