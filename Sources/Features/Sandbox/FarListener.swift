import LinuxKernel
import SystemPackage

/// Where a server of what stands in the middle of the links listens, on the far side.
final class FarListener: Sendable {
    let socket: StreamListener

    static let shape = StreamShape(
        unsentLimit: 65_536, segmentSize: 1400, receiveBuffer: 65_536, growsWithReading: false)

    private init(_ socket: consuming StreamListener) { self.socket = socket }

    /// Listens in the calling thread's network namespace.
    ///
    /// - Parameters:
    ///   - addresses: the server's addresses; those that the kernel does not have are left out.
    ///   - server: what it is, for an error.
    static func all(
        at addresses: [IPAddress], port: UInt16, server: String
    ) throws(KernelError) -> [FarListener] {
        var listeners: [FarListener] = []
        for address in addresses {
            do throws(Errno) {
                listeners.append(
                    FarListener(try StreamListener(at: Endpoint(address, port: port), shape)))
            } catch  where !address.isIPv6 {
                throw KernelError(.open, subject: server, errno: error)
            } catch {}
        }
        return listeners
    }
}
