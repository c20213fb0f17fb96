import Glibc

/// A UDP socket on the loopback interface that sends to itself, to see what became of packets.
///
/// It belongs to the namespace of the thread that makes it, whose loopback has to be up.
public final class LoopbackTraffic {
    private let descriptor: Int32

    /// Opens the socket.
    public init() throws {
        descriptor = socket(AF_INET, Int32(SOCK_DGRAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let status = unsafe withUnsafeMutablePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                guard unsafe bind(descriptor, pointer, length) == 0,
                    unsafe getsockname(descriptor, pointer, &length) == 0
                else { return Int32(-1) }
                return unsafe connect(descriptor, pointer, length)
            }
        }
        guard status == 0 else {
            throw ShellFailure(description: "cannot open a socket: errno \(errno)")
        }
    }

    deinit {
        close(descriptor)
    }

    /// Sends datagrams, each with the time of its sending.
    public func send(count: Int, length: Int = 100) {
        for _ in 0..<count {
            var payload = [UInt64](repeating: 0, count: max(1, length / 8))
            payload[0] = Self.nanoseconds
            _ = unsafe Glibc.send(descriptor, payload, payload.count * 8, 0)
        }
    }

    /// How long each datagram that arrives within `limit` took.
    public func delays(within limit: Duration) -> [Duration] {
        var delays: [Duration] = []
        let end = ContinuousClock.now + limit
        while ContinuousClock.now < end {
            var descriptors = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            guard unsafe poll(&descriptors, 1, 10) > 0 else { continue }
            var payload = [UInt64](repeating: 0, count: 256)
            guard unsafe recv(descriptor, &payload, 2048, 0) >= 8 else { continue }
            delays.append(.nanoseconds(Int64(Self.nanoseconds - payload[0])))
        }
        return delays
    }

    private static var nanoseconds: UInt64 {
        var time = timespec()
        unsafe clock_gettime(CLOCK_MONOTONIC, &time)
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }
}
