import LinuxKernel
import SystemPackage

/// Opens Multipath TCP listeners on the far side for the relay, which lacks the privilege.
enum MultipathListeners {
    /// Serves requests from `channel` in the calling thread's network namespace until the other end
    /// is closed.
    static func serve(_ channel: MessageChannel) {
        while let request = channel.receive() {
            guard request.count == 3 else { continue }
            let port = UInt16(request[1]) << 8 | UInt16(request[2])
            do throws(Errno) {
                let listener = try TransparentListener(
                    multipathPort: port, isIPv6: request[0] == 1)
                try DescriptorPassing.send([listener.descriptor], over: channel.descriptor)
            } catch {
                channel.send([0])
            }
        }
        channel.close()
    }

    /// A listener on `port`; nil if it cannot be opened, for example because the port is in use.
    static func ask(
        _ port: UInt16, isIPv6: Bool, over channel: MessageChannel
    ) -> FileDescriptor? {
        guard channel.send([isIPv6 ? 1 : 0, UInt8(port >> 8), UInt8(port & 0xff)]) else {
            return nil
        }
        return (try? DescriptorPassing.receive(from: channel.descriptor))?.first
    }
}
