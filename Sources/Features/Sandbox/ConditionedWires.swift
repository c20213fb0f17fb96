import DataPlane
import KernelPlane
import LinkModel
import LinuxKernel
import PacketLoop
import Recording

/// All wires of a sandbox, conditioned by the same data plane.
struct ConditionedWires {
    /// Each wire, in the order of the interfaces.
    var wires: [any ConditionedWire]
    /// The data plane, and why it was chosen.
    var choice: PlaneChoice
    /// The packet recorder, if recording was requested.
    var recorder: PacketRecorder?

    /// Conditions the wires in the calling thread's network namespace, the link's.
    static func start(_ request: SandboxRequest, _ wires: [Wire]) throws -> ConditionedWires {
        if request.hasDirectWire {
            return ConditionedWires(
                wires: [try DirectWire()],
                choice: PlaneChoice(.kernel, since: "there are no conditions to carry out"))
        }
        let kernel = try KernelPlane(environment: [:])
        var choice = PlaneChoice(
            request.backend, kernelLacks: kernel.lack(forUnused: request.demand))
        // Nobody knows what later conditions will be, and the engine can do everything.
        if request.mayChange, choice.isNegotiable {
            choice = PlaneChoice(.engine, since: "any conditions may follow")
        }
        if choice.kind == .kernel {
            do {
                let wires = try QdiscWire.condition(wires, request.interfaces, by: kernel)
                return ConditionedWires(wires: wires, choice: choice)
            } catch let error as any PlaneRefusal where choice.isNegotiable {
                let lack = kernel.lack(forUnused: request.demand, isRefused: true)
                choice = PlaneChoice(.engine, since: lack?.reason ?? error.description)
            }
        }
        let clock = LoopClock.startingNow()
        let recorder = try request.recorder(clock)
        let emulated = try zip(wires, request.interfaces).map { wire, interface in
            try EmulatedWire(
                wire, interface.conditions, traces: request.traces[interface.conditions],
                seed: request.seed(ofWire: wire.number), clock: clock,
                tolerance: request.tolerance,
                observer: recorder?.observer(ofLink: max(0, wire.number - 1)))
        }
        return ConditionedWires(wires: emulated, choice: choice, recorder: recorder)
    }
}

extension SandboxRequest {
    /// The requirements that determine the data plane.
    var demand: PlaneDemand {
        var demand = PlaneDemand(interfaces.map(\.conditions) + laterConditions)
        demand.hasSeed = seed != nil
        demand.measuresLateness = tolerance.isChosen
        demand.recordsPackets = recording.wantsPackets
        return demand
    }

    /// The user's explanation of the choice.
    func explanation(of choice: PlaneChoice) -> String {
        choice.explanation
            + (choice.kind == .engine ? "; --seed \(usedSeed) repeats what it loses" : "")
    }

    /// The seed of a wire, different for each of several.
    fileprivate func seed(ofWire number: Int) -> UInt64 {
        usedSeed &+ UInt64(number) &* 0x9e37_79b9_7f4a_7c15
    }

    /// The packet recorder, if recording is requested.
    fileprivate func recorder(_ clock: LoopClock) throws -> PacketRecorder? {
        guard recording.wantsPackets else { return nil }
        let words = command.map { "\($0)" }.joined(separator: " ")
        let profiles = interfaces.map {
            interfaces.count == 1 ? $0.profile : "\($0.name) \($0.profile)"
        }
        let recorder = try PacketRecorder(
            recording, clock: clock,
            remark: "\(profiles.joined(separator: ", ")), seed \(usedSeed): \(words)")
        try recorder.start()
        return recorder
    }
}
