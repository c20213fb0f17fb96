import SystemPackage

/// A request to the kernel that idle processors wake up quickly (`/dev/cpu_dma_latency`). It is
/// effective at times, and ends with its owner or the process.
public struct QuickWakeUps: ~Copyable, Sendable {
    private let request: OwnedDescriptor

    /// Prepares a request, which takes root; nil where it is not allowed.
    public init?() {
        guard
            let file = try? FileDescriptor.open(Self.path, .writeOnly, options: [.closeOnExec])
        else { return nil }
        request = OwnedDescriptor(adopting: file)
    }

    /// Makes it effective or not.
    ///
    /// A child process may have the descriptor, too, so that closing it might not end the request.
    public func set(isEffective: Bool) {
        try? request.raw.write(wholeOf: isEffective ? Self.least : Self.any)
    }

    private static let path = FilePath("/dev/cpu_dma_latency")

    /// Hexadecimal microseconds that a wake-up may take: 20, which excludes deep sleep.
    ///
    /// With `haltpoll`, which the kernel has on virtual machines whose host has processors for them
    /// alone, they stay awake: what the kernel takes for 1 µs takes the host some 50.
    private static let least: String = {
        let driver = try? SmallFile.read("/sys/devices/system/cpu/cpuidle/current_driver")
        return driver?.hasPrefix("haltpoll") == true ? "0" : "14"
    }()
    /// What the kernel assumes without a request: 2,000 s.
    private static let any = "77359400"
}
