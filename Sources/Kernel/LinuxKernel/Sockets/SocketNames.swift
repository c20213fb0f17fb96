import CLinux
import Synchronization
import SystemPackage

/// Recognises the sockets of processes by the processes' names.
///
/// A program (eBPF) at the root of the control groups runs when a socket is opened in this network
/// namespace, and notes with the socket which of the names its process has then. The kernel removes it
/// with the descriptors of this process, and the notes too.
final class SocketNames: Sendable {
    /// The most names that can be told apart at once.
    static let most = 31

    private let names: [String]
    private let network: UInt64
    private let owners: OwnedDescriptor
    private let watcher: OwnedDescriptor
    /// For each socket that is noted already the names, as bits.
    private let noted = Mutex<[UInt64: UInt32]>([:])

    /// Begins to note sockets in the network namespace with a cookie.
    ///
    /// - Precondition: there are no more names than `most`.
    init(
        _ names: Set<String>, root: borrowing OwnedDescriptor, network: UInt64, _ types: KernelTypes
    ) throws(KernelError) {
        self.names = names.sorted()
        precondition(names.count <= Self.most)
        let layout = try lc_process_layout(types)
        self.network = network
        let subject = "a program for sockets (eBPF)"
        owners = try OwnedDescriptor(lc_owners_create(), creating: subject)
        let (hashes, bits) = Self.hashes(self.names)
        watcher = try OwnedDescriptor(
            Self.watch(owners.number, root.number, network, layout, hashes, bits),
            creating: subject)
    }

    /// The map that has the notes.
    var notes: Int32 { owners.number }

    /// The bits that stand for some of the names.
    func bits(_ chosen: Set<String>) -> UInt32 { bits(where: chosen.contains) }

    private func bits(where isChosen: (String) -> Bool) -> UInt32 {
        names.enumerated().filter { isChosen($0.element) }.reduce(0) { $0 | 1 << $1.offset }
    }

    private static func watch(
        _ owners: Int32, _ groups: Int32, _ network: UInt64, _ layout: lc_process_layout,
        _ hashes: [UInt64], _ bits: [UInt32]
    ) -> Int32 {
        var layout = layout
        return unsafe lc_owners_watch(
            owners, groups, network, &layout, hashes, bits, hashes.count)
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

    /// Notes the sockets that processes with the names have open, and that are not noted yet.
    func findOpenSockets() {
        var found: [UInt64: UInt32] = [:]
        let former = noted.withLock { $0 }
        for process in RunningProcess.all {
            let bits = bits(where: process.isCalled)
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
        self.init(
            leader: try types.place(of: "group_leader", in: "task_struct"),
            name: try types.place(of: "comm", in: "task_struct"),
            memory: try types.place(of: "mm", in: "task_struct"),
            executable: try types.place(of: "exe_file", in: "mm_struct"),
            arguments: try types.place(of: "arg_start", in: "mm_struct"),
            entry: try types.place(of: "f_path", in: "file")
                + types.place(of: "dentry", in: "path"),
            title: try types.place(of: "d_name", in: "dentry")
                + types.place(of: "name", in: "qstr"))
    }
}
