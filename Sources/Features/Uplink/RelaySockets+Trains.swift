import LinuxKernel
import Netlink
import SystemPackage

extension RelaySockets {
    /// What sends the app datagrams in trains.
    final class Trains: Sendable {
        let sender: TrainSender
        /// A netlink socket of the far side's, which knows link-layer addresses.
        let netlink: OwnedDescriptor

        /// How many file descriptors it has.
        static let descriptorCount = 2

        /// Opens the sender on an interface of the calling thread's network namespace, to which
        /// `netlink` belongs as well.
        init(interface: Int32, _ netlink: NetlinkSocket) throws(Errno) {
            sender = try TrainSender(interface: interface)
            self.netlink = OwnedDescriptor(adopting: try netlink.descriptor.copy())
        }

        /// Takes ownership of the first file descriptors, which another process opened.
        init(adopting descriptors: inout ArraySlice<FileDescriptor>) {
            sender = TrainSender(adopting: OwnedDescriptor(adopting: descriptors.removeFirst()))
            netlink = OwnedDescriptor(adopting: descriptors.removeFirst())
        }

        /// The file descriptors, for another process.
        var descriptors: [FileDescriptor] { [sender.descriptor, netlink.raw] }
    }
}
