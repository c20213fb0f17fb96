import CLinux
import Glibc
public import SystemPackage

/// The process at the other end of a connection between two processes, and what it may do.
///
/// Its number alone says little: the process may have ended, and another one have the number. So it
/// is held by its directory under `/proc`, which never becomes that of another process. Up to Linux
/// 6.4 a number may have been given to another process before that; to be sure there, a message is
/// needed that was sent later and that the kernel says the process has sent (`isSender(of:)`).
public final class PeerProcess: Sendable {
    /// Why a process is not let do what takes the right to change the network here.
    public enum Lack: Error, Hashable, Sendable {
        /// It is in a process namespace that this process does not see into.
        case unseen
        /// `/proc` is that of another process namespace than this process is in.
        case foreignProc
        /// It has ended.
        case ended
        /// It is in other namespaces, or has another root directory, by their names.
        case elsewhere([String])
        /// It was another user's, neither root's nor that of this process, when it connected.
        case otherUser
        /// It has no `CAP_NET_ADMIN`.
        case noPrivilege
        /// What it is cannot be looked at.
        case unreadable(Errno)
    }

    /// Its number in the process namespace of this process.
    public let id: Int32
    private let user: UInt32
    private let directory: OwnedDescriptor
    /// The process itself, where the kernel tells it.
    private let process: ProcessDescriptor?

    /// Takes hold of the process that connected, or that began to listen.
    public init(at other: MessageChannel) throws(Lack) {
        var id: pid_t = 0
        var user: uid_t = 0
        let socket = other.descriptor.rawValue
        guard unsafe lc_service_peer(socket, &id, &user) == 0, id > 0 else { throw .unseen }
        guard unsafe lc_is_same(AT_FDCWD, "/proc/self", "/proc/\(getpid())") == 1 else {
            throw .foreignProc
        }
        (self.id, self.user) = (id, user)
        process = ProcessDescriptor(at: other)
        do {
            directory = try OwnedDescriptor(
                status: unsafe lc_open_below(AT_FDCWD, "/proc/\(id)", 1))
        } catch {
            throw error == .noSuchFileOrDirectory ? .ended : .unreadable(error)
        }
        try checkIsAlive()
    }

    /// Whether the kernel says that this process has sent a message. True only as long as the
    /// process lives.
    public func isSender(of message: MessageChannel.Message) -> Bool {
        message.sender == id && (try? checkIsAlive()) != nil
    }

    /// Throws unless it may do to the network what this process may: unless it is in the same user
    /// and process namespaces, sees the same files, and is root or the user of this process, with
    /// `CAP_NET_ADMIN`.
    ///
    /// Mount namespaces may differ, since `ip netns exec` makes a new one each time; the root
    /// directory may not, in which a container has its own.
    public func checkMayChangeNetwork() throws(Lack) {
        var foreign: [String] = []
        for (path, own, name) in [
            ("ns/user", "/proc/self/ns/user", "user namespace"),
            ("ns/pid", "/proc/self/ns/pid", "process namespace"), ("root", "/", "root directory"),
        ] {
            switch unsafe lc_is_same(directory.number, path, own) {
            case 1: continue
            case 0: foreign.append(name)
            case let status: try fail(Errno(rawValue: -status))
            }
        }
        guard foreign.isEmpty else { throw .elsewhere(foreign) }
        guard user == 0 || user == lc_effective_user() else { throw .otherUser }
        guard try effectiveCapabilities() & Self.networkAdministration != 0 else {
            throw .noPrivilege
        }
        // All of this was about a process that lives, and so has the number that it had.
        try checkIsAlive()
    }

    /// `CAP_NET_ADMIN`.
    private static let networkAdministration: UInt64 = 1 << 12

    private func effectiveCapabilities() throws(Lack) -> UInt64 {
        for line in try status().split(separator: "\n") where line.hasPrefix("CapEff:") {
            return UInt64(line.dropFirst(7).drop(while: \.isWhitespace), radix: 16) ?? 0
        }
        return 0
    }

    private func status() throws(Lack) -> String {
        do {
            let file = try OwnedDescriptor(
                status: unsafe lc_open_below(directory.number, "status", 0))
            return String(decoding: try file.raw.readAll(limit: 65_536), as: UTF8.self)
        } catch {
            try fail(error)
        }
    }

    /// Kills it.
    public func kill() throws(Lack) {
        try checkIsAlive()
        if process?.kill() != true { Process.signal(SIGKILL, to: id) }
    }

    private func checkIsAlive() throws(Lack) {
        guard process?.hasEnded != true else { throw .ended }
        // A directory of a process that is gone has nothing in it.
        _ = try status()
    }

    private func fail(_ reason: Errno) throws(Lack) -> Never {
        throw [.noSuchProcess, .noSuchFileOrDirectory].contains(reason)
            ? .ended : .unreadable(reason)
    }
}

extension PeerProcess.Lack: CustomStringConvertible {
    /// What is said of the process, behind its name.
    public var description: String {
        switch self {
        case .unseen: "is in another process namespace"
        case .foreignProc:
            "cannot be looked at, since /proc is that of another process namespace; mount it anew, "
                + "as unshare --mount-proc does"
        case .ended: "has ended"
        case .elsewhere(let names):
            "has another \(names.joined(separator: ", another "))"
        case .otherUser: "is another user's"
        case .noPrivilege: "has no CAP_NET_ADMIN"
        case .unreadable(let reason): "cannot be looked at (\(reason))"
        }
    }
}
