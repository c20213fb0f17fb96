import LinuxKernel
import SystemPackage

extension RelaySockets {
    /// The sockets of IPv4 or IPv6.
    final class Family: Sendable {
        let listener: TransparentListener
        let datagrams: TransparentDatagramSocket
        private let sender: RawSender
        private let counters: DatagramCounters

        /// How many file descriptors a family has.
        static let descriptorCount = 4

        init(isIPv6: Bool) throws(Errno) {
            listener = try TransparentListener(isIPv6: isIPv6)
            datagrams = try TransparentDatagramSocket(isIPv6: isIPv6)
            sender = try RawSender(isIPv6: isIPv6, mark: RelayRules.mark)
            counters = try DatagramCounters(isIPv6: isIPv6)
        }

        /// Takes ownership of the first file descriptors, which another process opened for a
        /// family.
        init(adopting descriptors: inout ArraySlice<FileDescriptor>) {
            func next() -> OwnedDescriptor { OwnedDescriptor(adopting: descriptors.removeFirst()) }
            listener = TransparentListener(adopting: next())
            datagrams = TransparentDatagramSocket(adopting: next())
            sender = RawSender(adopting: next())
            counters = DatagramCounters(adopting: next())
        }

        /// The file descriptors of the family, for another process.
        var descriptors: [FileDescriptor] {
            [listener.descriptor, datagrams.descriptor, sender.descriptor, counters.descriptor]
        }

        func ports() throws(Errno) -> RelayRules.Ports {
            RelayRules.Ports(stream: try listener.port(), datagram: try datagrams.port())
        }

        /// Sends a packet to the app; false if the kernel had no buffer space.
        func send(_ packet: [UInt8], to address: IPAddress) -> Bool {
            do {
                try sender.send(packet, to: address)
                return true
            } catch {
                // Otherwise the app's address or interface has vanished.
                return error != .wouldBlock && error != .noBufferSpace
            }
        }

        /// Datagrams of the app lost because they arrived faster than they could be read.
        ///
        /// A socket also drops datagrams that the link has corrupted. They do not count here: the
        /// kernel has a separate counter for a lack of buffer space, but only for the whole
        /// namespace.
        var unreadDatagrams: UInt64 { min(datagrams.dropped, counters.withoutRoom()) }
    }
}

/// The kernel's UDP counters of a network namespace, `/proc/net/snmp`.
struct DatagramCounters: ~Copyable, Sendable {
    private let file: OwnedDescriptor

    /// The file descriptor, for another process.
    var descriptor: FileDescriptor { file.raw }

    /// Opens the counters of the calling thread's network namespace.
    init(isIPv6: Bool) throws(Errno) {
        do {
            file = OwnedDescriptor(
                adopting: try FileDescriptor.open(
                    FilePath("/proc/thread-self/net/" + (isIPv6 ? "snmp6" : "snmp")), .readOnly,
                    options: [.closeOnExec]))
        } catch {
            throw error as? Errno ?? .ioError
        }
    }

    /// Takes ownership of a file that another process has opened.
    init(adopting file: consuming OwnedDescriptor) {
        self.file = file
    }

    /// Datagrams dropped for lack of space, in a socket buffer or in general.
    func withoutRoom() -> UInt64 {
        _ = try? file.raw.seek(offset: 0, from: .start)
        let bytes = (try? file.raw.readAll(limit: 65_536)) ?? []
        return Self.withoutRoom(in: String(decoding: bytes, as: UTF8.self))
    }

    /// Parses either file: names and values on two lines, or one of each per line.
    static func withoutRoom(in text: String) -> UInt64 {
        let names: Set<Substring> = ["RcvbufErrors", "MemErrors"]
        let lines = text.split(separator: "\n").map { $0.split(whereSeparator: \.isWhitespace) }
        var count: UInt64 = 0
        for words in lines where words.count == 2 && words[0].hasPrefix("Udp6") {
            if names.contains(words[0].dropFirst(4)) { count += UInt64(words[1]) ?? 0 }
        }
        let table = lines.filter { $0.first == "Udp:" }
        guard table.count == 2 else { return count }
        for (name, value) in zip(table[0], table[1]) where names.contains(name) {
            count += UInt64(value) ?? 0
        }
        return count
    }
}
