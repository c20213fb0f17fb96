import LinuxKernel
import SystemPackage

/// The engine's process: it conditions interfaces of its network namespace until the last one is
/// cleared.
///
/// Theory of operation. `apply` starts it, apart from the caller and its terminal (`EngineClient`).
/// It is a service of the namespace (`NamespaceService`); so there is one engine in each, and
/// whoever may change the network there finds it (`EngineListener`). Each conditioned interface is an
/// `InterfaceEmulation`: for each direction a wire on which its packets come (`Redirect`), and a loop that
/// carries them over the emulated link and back. The kernel takes the packets by hooks that let
/// them go their ordinary way when this process dies or stands still (`Hooks`), and its parent sees
/// to its end then (`Guardian`). The wires stay behind; `EngineLeftovers` finds them.
public enum EngineServer {
    /// The name of the socket.
    static let name = "linkcond-engine"
    /// The words of the command line that run it.
    static let arguments = ["engine"]

    /// What it reports when it serves, or somebody else does.
    static let readyReport = "ready"

    /// Serves until there is nothing more to do. For a process that has a single thread, started
    /// by an `EngineClient`.
    public static func run() -> Never {
        DetachedProgram.keepReportFromChildren()
        do {
            let beats = try Guardian.guardCopy()
            KernelThread.nameCallingThread(name)
            // That a program has ended is told where it is written to.
            KernelThread.outliveBrokenPipes()
            var process = try EngineProcess.open(beats)
            DetachedProgram.report(readyReport)
            process.run()
        } catch let error as EngineError {
            DetachedProgram.report(error.fault.rawValue + " " + error.description)
        } catch Errno.addressInUse {
            // Another one was quicker, and does as well.
            DetachedProgram.report(readyReport)
        } catch {
            DetachedProgram.report(EngineError.Fault.failed.rawValue + " \(error)")
        }
        Process.exitAtOnce(0)
    }
}
