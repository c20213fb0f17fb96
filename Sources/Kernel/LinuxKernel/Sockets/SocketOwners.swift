import CLinux
import Synchronization
import SystemPackage

/// Recognises the sockets of processes by the processes' names, and marks the packets that these
/// sockets send.
///
/// Two programs (eBPF) at the root of the control groups do that. The first runs when a socket is
/// opened in this network namespace, and notes with the socket which of the names its process has
/// then. The second runs for each packet that leaves, after it was routed, and reads the note. The
/// kernel removes both with the descriptors of this process, and the notes with them. The sockets
/// themselves are not changed.
///
/// Needs Linux 5.10 with `CONFIG_CGROUP_BPF` and `CONFIG_DEBUG_INFO_BTF`, and `CAP_SYS_ADMIN`.
public final class SocketOwners: Sendable {
    /// What to do with packets that leave by an interface.
    public struct Rule: Sendable, Hashable {
        /// The index of the interface.
        public var interface: Int32
        /// The names of which the process of a packet's socket must have one.
        public var names: Set<String>
        /// The bit of the mark that says so.
        public var bit: UInt32
        /// Whether somebody else sets the bit, which is to be taken away from packets of other
        /// sockets.
        public var narrows: Bool

        /// Makes a rule.
        public init(interface: Int32, names: Set<String>, bit: UInt32, narrows: Bool) {
            self.interface = interface
            self.names = names
            self.bit = bit
            self.narrows = narrows
        }
    }

    /// What marks look like.
    public struct Mark: Sendable, Hashable {
        /// What is under `mask` in each mark that has bits of rules.
        public var tag: UInt32
        /// The bits that are not those of rules.
        public var mask: UInt32
        /// Packets with this mark are left alone.
        public var spared: UInt32

        /// Makes a description.
        public init(tag: UInt32, mask: UInt32, spared: UInt32) {
            self.tag = tag
            self.mask = mask
            self.spared = spared
        }
    }

    /// The most names that can be told apart at once.
    public static let mostNames = 32

    private let names: [String]
    private let network: UInt64
    private let owners: OwnedDescriptor
    private let watcher: OwnedDescriptor
    private let marker: OwnedDescriptor
    /// For each socket that is noted already the names, as bits.
    private let noted = Mutex<[UInt64: UInt32]>([:])

    /// Begins to mark packets in the network namespace of the calling thread, first of all those of
    /// sockets that are open already.
    ///
    /// - Precondition: the rules have no more than `mostNames` names.
    public init(_ rules: [Rule], mark: Mark) throws(KernelError) {
        names = Set(rules.flatMap(\.names)).sorted()
        precondition(names.count <= Self.mostNames)
        let layout = try lc_process_layout(KernelTypes.ofKernel())
        network = try Self.currentNetwork()
        let groups = try OwnedDescriptor(
            lc_groups_open(), opening: "the root of the control groups (version 2)")
        let subject = "a program for sockets (eBPF)"
        owners = try OwnedDescriptor(lc_owners_create(), creating: subject)
        let (hashes, bits) = Self.hashes(names)
        watcher = try OwnedDescriptor(
            Self.watch(owners.number, groups.number, network, layout, hashes, bits),
            creating: subject)
        let rules = rules.map { [names] rule in
            lc_owner_rule(
                interface: UInt32(bitPattern: rule.interface),
                names: Self.bits(names) { rule.names.contains($0) }, bit: rule.bit,
                narrows: rule.narrows ? 1 : 0)
        }
        let looks = lc_owner_mark(tag: mark.tag, mask: mark.mask, spared: mark.spared)
        marker = try OwnedDescriptor(
            unsafe lc_owners_mark(owners.number, groups.number, looks, rules, rules.count),
            creating: "a program for packets (eBPF)")
        findOpenSockets()
    }

    private static func watch(
        _ owners: Int32, _ groups: Int32, _ network: UInt64, _ layout: lc_process_layout,
        _ hashes: [UInt64], _ bits: [UInt32]
    ) -> Int32 {
        var layout = layout
        return unsafe lc_owners_watch(
            owners, groups, network, &layout, hashes, bits, hashes.count)
    }

    /// The number of the calling thread's network namespace.
    private static func currentNetwork() throws(KernelError) -> UInt64 {
        let subject = "the number of the network namespace"
        let socket: DatagramSocket
        do {
            socket = try DatagramSocket(isIPv6: false)
        } catch {
            throw KernelError(.read, subject: subject, errno: error)
        }
        var network: UInt64 = 0
        try checked(
            unsafe lc_socket_network(socket.descriptor.rawValue, &network), .read, subject)
        return network
    }

    /// The names' hashes, and those of what the kernel keeps of them as names of threads.
    private static func hashes(_ names: [String]) -> ([UInt64], [UInt32]) {
        var (hashes, bits): ([UInt64], [UInt32]) = ([], [])
        for (number, name) in names.enumerated() {
            let whole = Array(name.utf8)
            for text in [whole, Array(whole.prefix(RunningProcess.longestThreadName))] {
                hashes.append(unsafe lc_owners_hash(text, text.count))
                bits.append(1 << UInt32(number))
            }
        }
        return (hashes, bits)
    }

    /// The bits that stand for those of the names that are chosen.
    private static func bits(_ names: [String], _ isChosen: (String) -> Bool) -> UInt32 {
        names.enumerated().filter { isChosen($0.element) }.reduce(0) { $0 | 1 << $1.offset }
    }

    /// Notes the sockets that processes with the names have open, and that are not noted yet: that
    /// were opened earlier, or got from other processes.
    public func findOpenSockets() {
        var found: [UInt64: UInt32] = [:]
        let former = noted.withLock { $0 }
        for process in RunningProcess.all {
            let bits = Self.bits(names, process.isCalled)
            guard bits != 0, let file = try? ProcessDescriptor(process.number) else { continue }
            for (descriptor, inode) in process.sockets {
                let known = found[inode] ?? former[inode] ?? 0
                if known | bits != known { note(file.descriptor, descriptor, bits) }
                found[inode] = known | bits
            }
        }
        noted.withLock { [found] in $0 = found }
    }

    /// Notes one socket of a process, which may be of another kind or closed by now.
    private func note(_ process: FileDescriptor, _ descriptor: Int32, _ bits: UInt32) {
        guard
            let socket = try? OwnedDescriptor(
                status: lc_take_file(process.rawValue, descriptor))
        else { return }
        var network: UInt64 = 0
        guard unsafe lc_socket_network(socket.number, &network) >= 0, network == self.network
        else { return }
        _ = lc_owners_add(owners.number, socket.number, bits)
    }
}

extension lc_process_layout {
    /// Where the running kernel has what tells the names of a process.
    fileprivate init(_ types: KernelTypes) throws(KernelError) {
        func offset(_ structure: String, _ member: String) throws(KernelError) -> UInt32 {
            guard let offset = types.offset(of: member, in: structure) else {
                throw KernelError(
                    .read, subject: "\(structure).\(member) in \(KernelTypes.path)",
                    errno: .noSuchFileOrDirectory)
            }
            return offset
        }
        self.init(
            leader: try offset("task_struct", "group_leader"),
            name: try offset("task_struct", "comm"), memory: try offset("task_struct", "mm"),
            executable: try offset("mm_struct", "exe_file"),
            arguments: try offset("mm_struct", "arg_start"),
            entry: try offset("file", "f_path") + offset("path", "dentry"),
            title: try offset("dentry", "d_name") + offset("qstr", "name"))
    }
}
