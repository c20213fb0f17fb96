public import DataPlane
import LinkModel
import LinuxKernel

/// Why the packet engine refused a request. All interfaces are as they were before.
public struct EngineError: PlaneRefusal, Hashable, Codable {
    /// The cause, as far as the exit code shows it.
    public enum Fault: String, Hashable, Sendable, Codable {
        /// The command line.
        case usage
        /// The host cannot do it.
        case unavailable
        /// The caller lacks permission.
        case permission
        /// Another user's process has the engine's name.
        case stranger
        /// A file cannot be read.
        case unreadableFile
        /// A file is invalid.
        case badFile
        /// Something went wrong.
        case failed
    }

    /// The cause.
    public let fault: Fault
    /// One sentence: what failed, why, and what to do.
    public let description: String

    /// Whether the kernel data plane may succeed.
    public var isLack: Bool { fault == .unavailable }

    /// Makes an error.
    public init(_ description: String, fault: Fault = .failed) {
        self.fault = fault
        self.description = description
    }
}

extension EngineError {
    /// nftables is not installed.
    public static let noProgram = EngineError(
        "the program nft, by which the packet engine takes packets from an interface, is not "
            + "installed; install it with: sudo apt install nftables (Debian, Ubuntu) or sudo dnf "
            + "install nftables (Fedora)", fault: .unavailable)

    static func silentProgram(_ message: String) -> EngineError {
        EngineError(
            "the program nft, by which the packet engine takes packets from an interface, is there "
                + "and does not work: \(message)", fault: .unavailable)
    }

    static func noHook(_ message: String) -> EngineError {
        EngineError(
            "nftables cannot give an interface's packets to the packet engine (\(message)): that "
                + "takes Linux 5.16 with CONFIG_NF_TABLES_NETDEV, CONFIG_NETFILTER_EGRESS and "
                + "CONFIG_NFT_FWD_NETDEV", fault: .unavailable)
    }

    /// Whose packets they are takes hooks of nftables.
    static let noOwners = EngineError(
        "--user, --cgroup and --process take nftables, whose hooks on devices (Linux 5.16 with CONFIG_NETFILTER_EGRESS, "
            + "and the program nft) are not available here; tc filters cannot tell whose packets "
            + "they are", fault: .unavailable)

    static func noOwnerChains(_ message: String) -> EngineError {
        EngineError(
            "nftables cannot tell whose packets they are (\(message)): --user, --cgroup and "
                + "--process take CONFIG_NFT_HASH",
            fault: .unavailable)
    }

    /// The kernel does not take the programs that recognise sockets.
    static func noOwnerMarks(_ error: KernelError) -> EngineError {
        EngineError(
            "the kernel does not tell of which programs or control groups packets are "
                + "(\(error)): --process and --cgroup take Linux 5.10 with "
                + "CONFIG_CGROUP_BPF and CONFIG_DEBUG_INFO_BTF, and the rights of root on the host; "
                + "--user takes neither",
            fault: .unavailable)
    }

    /// The names of programs have too few bits.
    static let tooManyPrograms = EngineError(
        "conditions choose \(ProcessName.mostAtOnce) names of programs already, which are the "
            + "most; linkcond clear --name takes conditions away", fault: .unavailable)

    /// No kind of hooks is available.
    static func lacking(_ lacks: [EngineError]) -> EngineError {
        EngineError(
            lacks.map(\.description).joined(separator: "; and ")
                + "; linkcond run needs none of that", fault: .unavailable)
    }

    static func noFilters(_ message: String) -> EngineError {
        EngineError(
            "filters of tc cannot do it (\(message)): that takes a kernel with "
                + "CONFIG_NET_SCH_INGRESS, CONFIG_NET_CLS_U32, CONFIG_NET_CLS_BPF, "
                + "CONFIG_NET_ACT_MIRRED and CONFIG_BPF_SYSCALL", fault: .unavailable)
    }

    static func tooManyFilters(_ interface: String) -> EngineError {
        EngineError(
            "\(interface): so many addresses and ports need too many filters; "
                + "choose fewer, or larger networks and ranges", fault: .unavailable)
    }

    static func foreignFilters(
        _ interface: String, _ direction: Direction, kinds: [String]
    ) -> EngineError {
        EngineError(
            "\(interface): other programs have filters on its way \(direction.rawValue) "
                + "(\(kinds.joined(separator: ", "))), which see packets before linkcond and may "
                + "take them; use --force to condition what they leave", fault: .unavailable)
    }

    static func ingressQdisc(_ interface: String) -> EngineError {
        EngineError(
            "\(interface): has an ingress qdisc of another program, which leaves no place for "
                + "clsact; remove it with: tc qdisc del dev \(ShellWord(interface)) ingress",
            fault: .unavailable)
    }

    static func alreadyConditioned(
        _ interface: String, name: String, profile: String
    ) -> EngineError {
        EngineError(
            "\(interface): is conditioned with \(profile) already, under the name \(name); use "
                + "--replace to change it, --name for other conditions beside it, or linkcond clear "
                + "-i \(interface)", fault: .usage)
    }

    static func tooManyConditions(_ interface: String) -> EngineError {
        EngineError(
            "\(interface): has \(Slot.all.count) conditions already, which are the most; "
                + "linkcond clear --name takes one away", fault: .unavailable)
    }

    static func tooManyOwners(_ interface: String) -> EngineError {
        EngineError(
            "\(interface): only the first \(OwnerMarks.slots.count) conditions of an interface can "
                + "choose control groups or programs; linkcond clear --name takes conditions away",
            fault: .unavailable)
    }

    static func vanished(_ name: String) -> EngineError {
        EngineError("\(name): the interface vanished meanwhile; nothing was changed")
    }

    static func deaf(process: Int32) -> EngineError {
        EngineError(
            "the packet engine (process \(process)) does not answer; linkcond clear ends it, and "
                + "traffic flows unconditioned")
    }

    static func stranger(process: Int32) -> EngineError {
        EngineError(
            "process \(process) of another user has taken the packet engine's place; end it first",
            fault: .stranger)
    }

    /// The process that serves is no engine that this process can trust.
    static func elsewhere(process: Int32, _ lack: PeerProcess.Lack) -> EngineError {
        EngineError(
            "the packet engine here \(process == 0 ? "" : "(process \(process)) ")\(lack); run "
                + "linkcond where the conditions were applied", fault: .permission)
    }

    /// The client lacks permission.
    static func notAdmitted(_ lack: PeerProcess.Lack) -> EngineError {
        switch lack {
        case .noPrivilege, .otherUser:
            EngineError("changing conditions takes root; run it with sudo", fault: .permission)
        case .unseen, .foreignProc, .ended, .elsewhere, .unreadable:
            EngineError(
                "the packet engine is told what to do where it was started, and whoever asks it "
                    + "now \(lack); run linkcond where the conditions were applied",
                fault: .permission)
        }
    }

    static func otherVersion(process: Int32) -> EngineError {
        EngineError(
            "the packet engine that runs here (process \(process)) is of another version of "
                + "linkcond; linkcond clear ends it, then apply again")
    }

    /// A message that no linkcond sends.
    static let unintelligible = EngineError(
        "the packet engine does not understand what it was asked; is linkcond being replaced by "
            + "another version? linkcond clear ends the engine, then apply again")

    static func mute(process: Int32) -> EngineError {
        EngineError(
            "the packet engine (process \(process)) ends each connection before it answers; "
                + "linkcond status tells what is conditioned")
    }
}
