import DataPlane
import LinkModel
import LinkUnits
import LinuxKernel
import PacketLoop

extension SandboxLinks {
    /// The links of a device's interfaces as `status` shows them, but for their rates.
    ///
    /// - Parameters:
    ///   - beginning: When the run began, in seconds since 1970.
    ///   - limit: When it ends; nil: with the command.
    func status(
        of request: SandboxRequest, device: Int, since beginning: Int64, limit: TimeLimit?
    ) -> [ConditionedInterface] {
        interfaces(of: device).map { interface in
            var status = ConditionedInterface(
                by: dataPlane, on: interface.name, index: interface.index,
                name: ApplyRequest.defaultName, profile: interface.profile, since: beginning,
                limit: limit)
            let conditions = interface.conditions.withExplicitLoss
            let counters = counters(of: interface.name)
            let loop = loop(of: interface.name)
            for direction in Direction.allCases {
                let counted = direction == .up ? counters?.up : counters?.down
                let measured = direction == .up ? loop?.up : loop?.down
                status.directions[direction] = ConditionedDirection(
                    direction.conditions(of: conditions), counted ?? DirectionCounters(),
                    delay: MeasuredDelay(
                        measured?.recentTimes.quantiles(.percent(50), .percent(99))))
            }
            status.dnsDelay = conditions.dnsDelay
            status.command = request.allDevices[device].command.map(\.description).joined(
                separator: " ")
            if let loop {
                let faithfulness = Faithfulness(loop)
                status.seed = request.usedSeed
                status.isFaithful = faithfulness.isGiven
                status.problem = faithfulness.note
            } else if request.hasDirectWire {
                // Nothing holds its packets up.
                status.isFaithful = true
            }
            return status
        }
    }
}
