import LinuxKernel

/// The receive window of Multipath TCP connections.
///
/// What a quick path brings waits for what a slow path still has to bring, and fills the window
/// meanwhile. The kernel lets windows grow with what the program has read, which is too late: 16 MiB
/// over 30 Mbit/s at 100 ms and 10 Mbit/s at 2 ms took 2% longer (`Scripts/bench aggregate`).
enum ReceiveWindow {
    /// Lets the connections of the calling thread's network namespace begin with a wide window.
    static func widen() {
        // If /proc is read-only, as in some containers, the kernel's default must do.
        try? KernelParameter("net/ipv4/tcp_rmem").write("4096 6291456 33554432")
    }
}
