/// Why the packet engine did not do what it was asked for. Interfaces are as they were before.
public struct EngineError: Error, Hashable, Sendable, Codable, CustomStringConvertible {
    /// What was at fault, as far as the exit code tells.
    public enum Fault: String, Hashable, Sendable, Codable {
        /// The command line.
        case usage
        /// The host cannot do it.
        case unavailable
        /// The caller may not do it.
        case permission
        /// A file cannot be read.
        case unreadableFile
        /// A file is wrong.
        case badFile
        /// Something went wrong.
        case failed
    }

    /// What was at fault.
    public let fault: Fault
    /// One sentence: what failed, why, and the way out.
    public let description: String

    /// Makes an error.
    public init(_ description: String, fault: Fault = .failed) {
        self.fault = fault
        self.description = description
    }
}

extension EngineError {
    /// nftables is not installed.
    public static let noProgram = EngineError(
        "the packet engine needs the program nft to take packets from an interface, and it is not "
            + "installed; install it with: sudo apt install nftables (Debian, Ubuntu) or sudo dnf "
            + "install nftables (Fedora)", fault: .unavailable)

    static func noHook(_ message: String) -> EngineError {
        EngineError(
            "this kernel cannot give an interface's packets to the packet engine (\(message)); it "
                + "takes Linux 5.16 with CONFIG_NF_TABLES_NETDEV, CONFIG_NETFILTER_EGRESS and "
                + "CONFIG_NFT_FWD_NETDEV, or a kernel with netem for --backend kernel; linkcond "
                + "run needs neither", fault: .unavailable)
    }

    static func alreadyConditioned(
        _ interface: String, name: String, profile: String
    ) -> EngineError {
        EngineError(
            "\(interface): is conditioned with \(profile) already, under the name \(name); use "
                + "--replace to change it, --name for other conditions beside it, or linkcond clear "
                + "-i \(interface)", fault: .usage)
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
            "process \(process) of another user stands in the packet engine's place; end it first",
            fault: .permission)
    }

    static let otherVersion = EngineError(
        "the packet engine that runs here is of another version of linkcond; linkcond clear ends "
            + "it, then apply again")
}
