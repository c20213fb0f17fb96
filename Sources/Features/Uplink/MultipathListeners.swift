import LinuxKernel
import SystemPackage

/// Opens listeners of Multipath TCP on the far side for the relay, which may not do it itself.
enum MultipathListeners {
    /// Serves requests that come over `channel`, in the calling thread's network namespace, until
    /// the other end is closed.
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

    /// A listener on `port`; nil if there cannot be one, such as when somebody else listens there.
    static func ask(
        _ port: UInt16, isIPv6: Bool, over channel: MessageChannel
    ) -> FileDescriptor? {
        guard channel.send([isIPv6 ? 1 : 0, UInt8(port >> 8), UInt8(port & 0xff)]) else {
            return nil
        }
        return (try? DescriptorPassing.receive(from: channel.descriptor))?.first
    }
}
