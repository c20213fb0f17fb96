import DataPlane
import LinuxKernel
import Netlink

/// The process that watches over the engine, which is a copy of it.
///
/// An engine that stands still, by whatever is the matter with it, would have all packets that its
/// hooks send it wait. The guardian kills it then, and so ends the hooks that go with it; of those
/// that do not, it sees to the end. It has nothing else to do, so that nothing else can go wrong
/// with it; and if it is killed, the engine ends.
enum Guardian {
    private static let name = "linkcond-guard"
    /// Before its first beat the engine gets ready, and tells who waits for that if it cannot.
    private static let startLimit = Duration.seconds(30)
    private static let mostMissed = Heartbeat.limit / Heartbeat.interval

    /// Makes a copy of the process, which goes on as the engine; this one watches over it and does
    /// not return. For a process with one thread.
    static func guardCopy() throws(KernelError) -> HeartbeatPipe {
        let pipe = try HeartbeatPipe()
        guard let engine = try Process.fork() else {
            Process.leadGroup()
            pipe.becomeBeater()
            return pipe
        }
        KernelThread.nameCallingThread(name)
        pipe.becomeListener()
        // Its end is to be heard when the engine has reported.
        DetachedProgram.leaveReport()
        watch(engine, pipe)
    }

    private static func watch(_ engine: Int32, _ pipe: HeartbeatPipe) -> Never {
        var missed = 0
        var hasBegun = false
        var hasKilled = false
        listening: while true {
            // Beats are counted, not the time: it may be this process that came too late.
            switch pipe.listen(within: hasBegun ? Heartbeat.interval : startLimit) {
            case .beat: (missed, hasBegun) = (0, true)
            case .end: break listening
            case .silence:
                missed += 1
                guard !hasBegun || Double(missed) >= mostMissed, !hasKilled else { continue }
                Process.killGroup(of: engine)
                hasKilled = true
            }
        }
        _ = Process.wait(for: engine)
        cleanUp(after: hasKilled)
        Process.exitAtOnce(0)
    }

    /// Takes away the hooks that do not go with their process, unless another engine has begun,
    /// which does that itself; and says at the wires what happened.
    private static func cleanUp(after standstill: Bool) {
        // As long as it has this name, none begins.
        guard let post = try? NamespaceService.listen(EngineServer.name),
            let session = try? NetlinkSession()
        else { return }
        _ = try? HookFilters.removeLeftovers(session)
        if standstill { EngineLeftovers.mark(.standstill, session) }
        withExtendedLifetime(post) {}
    }
}
