import Glibc

/// A release of the Linux kernel, such as 6.2.
///
/// Only for what cannot be asked of the kernel itself: distributions add to older releases.
public struct KernelRelease: Comparable, Sendable {
    let major: Int
    let minor: Int

    /// Makes a release of its first two numbers.
    public init(_ major: Int, _ minor: Int) {
        (self.major, self.minor) = (major, minor)
    }

    /// Parses what `uname -r` prints; 0.0 if it is no release.
    init(_ text: String) {
        let numbers = text.split(maxSplits: 2) { !$0.isNumber }.prefix(2).compactMap { Int($0) }
        self.init(numbers.first ?? 0, numbers.count == 2 ? numbers[1] : 0)
    }

    /// That of the running kernel.
    public static let running: KernelRelease = {
        var names = utsname()
        guard unsafe uname(&names) == 0 else { return KernelRelease(0, 0) }
        return unsafe withUnsafeBytes(of: &names.release) { bytes in
            KernelRelease(unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self))
        }
    }()

    /// Whether packet sockets carry super-packets of datagrams (`VIRTIO_NET_HDR_GSO_UDP_L4`). Others
    /// accept none, and lose those that they should hand over.
    public var carriesDatagramTrains: Bool { self >= KernelRelease(6, 2) }

    /// Whether one is older than the other.
    public static func < (one: KernelRelease, other: KernelRelease) -> Bool {
        (one.major, one.minor) < (other.major, other.minor)
    }
}
