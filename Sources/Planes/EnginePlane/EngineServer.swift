import LinuxKernel
import SystemPackage

/// The engine's process: it conditions interfaces of its network namespace until the last one is
/// cleared.
///
/// Theory of operation. `apply` starts it, detached from the caller and its terminal
/// (`EngineClient`). It is a service of the namespace (`NamespaceService`), so each namespace has
/// one engine, and processes that may change the network there find it (`EngineListener`). Each
/// conditioned interface is an `InterfaceEmulation`: for each direction a veth pair that delivers
/// its packets (`Redirect`), and a loop that carries them over the emulated link and back. Hooks in
/// the kernel redirect the packets, and stop doing so when this process dies or hangs (`Hooks`);
/// its parent then ends it (`Guardian`). The veth pairs stay behind; `EngineLeftovers` finds them.
public enum EngineServer {
    /// The name of the socket.
    static let name = "linkcond-engine"
    /// The command-line arguments that run it.
    static let arguments = ["engine"]

    /// What it reports once it, or another engine, serves.
    static let readyReport = "ready"

    /// Serves until there is nothing left to do. For a process with a single thread, started by an
    /// `EngineClient`.
    public static func run() -> Never {
        DetachedProgram.keepReportFromChildren()
        do {
            try Guardian.guardCopy(serve)
        } catch {
            DetachedProgram.report(EngineError.Fault.failed.rawValue + " \(error)")
            Process.exitAtOnce(0)
        }
    }

    private static func serve(_ beats: HeartbeatPipe) -> Never {
        do {
            KernelThread.nameCallingThread(name)
            // Writes to a program that has ended fail with an error instead of a signal.
            KernelThread.outliveBrokenPipes()
            var process = try EngineProcess.open(beats)
            DetachedProgram.report(readyReport)
            process.run()
        } catch let error as EngineError {
            DetachedProgram.report(error.fault.rawValue + " " + error.description)
        } catch Errno.addressInUse {
            // Another engine was quicker, and serves as well.
            DetachedProgram.report(readyReport)
        } catch {
            DetachedProgram.report(EngineError.Fault.failed.rawValue + " \(error)")
        }
        Process.exitAtOnce(0)
    }
}
