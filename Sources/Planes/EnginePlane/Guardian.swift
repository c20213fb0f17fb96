import DataPlane
import LinuxKernel
import Netlink

/// The process that watches over the engine, which is its forked copy.
///
/// If the engine hangs for any reason, packets that its hooks redirect would wait. The guardian
/// then kills it, which also ends the hooks that belong to the process; the guardian removes the
/// others. It has no other task, so that nothing else can fail in it; if it is killed, the engine
/// ends.
enum Guardian {
    private static let name = "linkcond-guard"
    /// Until its first heartbeat the engine starts up, and reports a failure to the waiting
    /// process.
    private static let startLimit = Duration.seconds(30)
    private static let mostMissed = Heartbeat.limit / Heartbeat.interval

    /// Forks the process. The copy continues as the engine; this process watches over it. For a
    /// process with one thread.
    static func guardCopy(_ engine: (HeartbeatPipe) -> Never) throws(KernelError) -> Never {
        let pipe = try HeartbeatPipe()
        let engine = try Process.fork {
            Process.leadGroup()
            pipe.becomeBeater()
            engine(pipe)
        }
        KernelThread.nameCallingThread(name)
        pipe.becomeListener()
        // The waiting process must see the end of the report once the engine has reported.
        DetachedProgram.leaveReport()
        watch(engine, pipe)
    }

    private static func watch(_ engine: Int32, _ pipe: HeartbeatPipe) -> Never {
        var missed = 0
        var hasBegun = false
        var hasKilled = false
        listening: while true {
            // Counts heartbeats instead of time: this process itself may have been delayed.
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

    /// Removes the hooks that outlive their process, unless another engine has started, which does
    /// so itself; and records in the veth pairs' aliases what happened.
    private static func cleanUp(after standstill: Bool) {
        // While this process has the name, no other engine starts.
        guard let post = try? NamespaceService.listen(EngineServer.name),
            let session = try? NetlinkSession()
        else { return }
        _ = try? HookFilters.removeLeftovers(session)
        if standstill { EngineLeftovers.mark(.standstill, session) }
        withExtendedLifetime(post) {}
    }
}
