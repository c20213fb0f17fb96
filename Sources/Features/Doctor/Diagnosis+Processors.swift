import LinuxKernel

/// What the packet engine gets of the processors.
struct ProcessorFindings: Sendable, Hashable {
    /// Whether its threads may go before all ordinary ones.
    var mayPrecede: Bool
    /// Whether it has the privilege for that, which a control group can take the effect of.
    var isPrivileged: Bool
    /// How many processors there are; nil if unknown.
    var count: Int?
    /// How many of them the control groups leave; nil without a limit.
    var quota: Double?

    /// Examines this host.
    static func current() -> ProcessorFindings {
        ProcessorFindings(
            mayPrecede: KernelThread.mayPrecede, isPrivileged: Privilege.mayPrioritize,
            count: Processors()?.count, quota: ProcessorQuota.current)
    }
}

extension Diagnosis {
    /// With less, the engine and the app stop each other.
    private static let enoughProcessors = 2.0

    /// The checks of what makes the packet engine punctual on a busy machine.
    static func processorChecks(_ found: ProcessorFindings, _ host: HostSystem) -> [Check] {
        [precedence(found, host), processorTime(found, host)]
    }

    private static func precedence(_ found: ProcessorFindings, _ host: HostSystem) -> Check {
        let name = "real-time priority"
        guard !found.mayPrecede else {
            return Check(name, .ok, "the packet engine goes before other programs (SCHED_FIFO)")
        }
        let group = "Give its control group some (cpu.rt_runtime_us), or run it in another one"
        let container = "Start the container with --cap-add SYS_NICE, or with --ulimit rtprio=2"
        let user = """
            Let your user have it from the next login on: echo "$USER - rtprio 2" \
            | sudo tee /etc/security/limits.d/60-linkcond.conf
            """
        return Check(
            name, .limited, "not allowed: packets can be late on a busy machine",
            fix: found.isPrivileged ? group : host.isContainer ? container : user)
    }

    private static func processorTime(_ found: ProcessorFindings, _ host: HostSystem) -> Check {
        let name = "processor time"
        let all = found.count.map { $0 == 1 ? "1 processor" : "\($0) processors" } ?? "unlimited"
        guard let quota = found.quota, quota < Double(found.count ?? .max) else {
            return Check(name, .ok, all)
        }
        let text = "\((quota * 100).rounded() / 100) of \(all), by control groups"
        guard quota < enoughProcessors else { return Check(name, .ok, text) }
        return Check(
            name, .limited, "\(text): once that is used up, packets stand still",
            fix: host.isContainer
                ? "Give the container more, with --cpus or resources.limits.cpu"
                : "Give the group more, in cpu.max: systemctl set-property UNIT CPUQuota=")
    }
}
