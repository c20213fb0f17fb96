import FoundationEssentials
import LinuxKernel
import SystemPackage

/// The host's state with respect to a sandbox's needs.
struct SandboxFindings: Sendable, Hashable {
    /// The state of `/dev/net/tun`.
    enum TunnelDevice: Sendable, Hashable {
        case usable, missing, forbidden
    }

    /// What the caller has of the privileges for a sandbox without a user namespace.
    var privilege: SandboxPrivilege
    /// The result of making a sandbox without a user namespace.
    var asItIs: NamespaceAttempt
    /// The same inside a user namespace.
    var inUserNamespace: NamespaceAttempt
    /// The setting that leaves next to no namespaces, such as "user.max_net_namespaces is 0".
    var scarcity: NamespaceLimit.Setting?
    /// `/proc/sys/kernel/unprivileged_userns_clone`, a Debian setting: whether users other than
    /// root may make user namespaces.
    var mayUsersMakeNamespaces: Bool?
    /// `/proc/sys/kernel/apparmor_restrict_unprivileged_userns`, an Ubuntu setting.
    var doesAppArmorRestrict: Bool?
    /// The file with the AppArmor profile of linkcond's packages, if there is one for `program`.
    var appArmorProfile: String?
    /// The `helpers` found in `PATH` and where administration tools live.
    var programs: Set<String>
    /// Those that do not even tell their version.
    var brokenPrograms: Set<String> = []
    /// The state of `/dev/net/tun`.
    var tunnelDevice: TunnelDevice
    /// The path of linkcond.
    var program: String

    /// A program, its package, and what it is for.
    typealias Helper = (program: String, package: String, purpose: String)

    /// The programs that a sandbox may use.
    static let helpers: [Helper] = [
        (program: "pasta", package: "passt", purpose: "run --uplink pasta"),
        (program: "slirp4netns", package: "slirp4netns", purpose: "run --uplink slirp"),
        (program: "nft", package: "nftables", purpose: "the way of a run to the network"),
    ]

    /// The result of making a sandbox in the way that `run` takes.
    var asInRun: NamespaceAttempt { privilege.isComplete ? asItIs : inUserNamespace }

    /// Whether the packet engine can run here.
    var servesEngine: Bool { asInRun == .possible }

    /// Examines this host.
    static func current() -> SandboxFindings {
        let number = { (path: String) in
            FileManager.default.contents(atPath: path).flatMap { data in
                Int(String(decoding: data, as: UTF8.self).filter { !$0.isWhitespace })
            }
        }
        let programs = helpers.map(\.program).filter { HelperProgram.path(of: $0) != nil }
        let program = SmallFile.target(ofLink: "/proc/self/exe") ?? "linkcond"
        return SandboxFindings(
            privilege: .ofCaller, asItIs: .make(inUserNamespace: false),
            inUserNamespace: .make(inUserNamespace: true),
            scarcity: NamespaceLimit.setting,
            mayUsersMakeNamespaces: number("/proc/sys/kernel/unprivileged_userns_clone")
                .map { $0 != 0 },
            doesAppArmorRestrict: number("/proc/sys/kernel/apparmor_restrict_unprivileged_userns")
                .map { $0 != 0 },
            appArmorProfile: appArmorProfile(of: program),
            programs: Set(programs), brokenPrograms: Set(programs.filter { !answers($0) }),
            tunnelDevice: tunnelDevice(), program: program)
    }

    private static func answers(_ name: String) -> Bool {
        guard let path = HelperProgram.path(of: name) else { return false }
        let result = try? HelperProgram.run(path, ["--version"], input: "", patience: .seconds(5))
        return result?.exitCode == 0
    }

    /// Where the profile of the packages stands: where AppArmor loads it from, else where the
    /// packages and the tarball have it.
    static let appArmorProfiles = [
        "/etc/apparmor.d/linkcond", "/usr/share/linkcond/apparmor/linkcond",
        "/usr/local/share/linkcond/apparmor/linkcond",
    ]

    /// The profile is for programs at the places of the packages and the tarball only.
    static func appArmorProfile(
        of program: String,
        exists: (String) -> Bool = { FileManager.default.fileExists(atPath: $0) }
    ) -> String? {
        guard ["/usr/bin/linkcond", "/usr/local/bin/linkcond"].contains(program) else { return nil }
        return appArmorProfiles.first(where: exists)
    }

    private static func tunnelDevice() -> TunnelDevice {
        do {
            let device = try FileDescriptor.open(FilePath("/dev/net/tun"), .readWrite)
            try device.close()
            return .usable
        } catch Errno.permissionDenied, Errno.notPermitted {
            return .forbidden
        } catch {
            return .missing
        }
    }
}
