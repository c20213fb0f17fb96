import ProxyControl
import Uplink

/// What is done to one direction of one connection beside what its packets meet.
struct StreamShaping {
    /// What is to become of the connection.
    enum Fate {
        case goesOn
        /// It is closed as if both ends had ended.
        case closes
        case isReset
    }

    /// A behaviour that affects the connection, and its state.
    private struct Active {
        let behaviour: StreamBehaviour
        let since: Duration
        /// How many bytes had passed before.
        let base: UInt64
        /// When a slice may go, or the end of the stream.
        var moment: Duration?
        /// How many bytes had passed when the slice began.
        var sliceBase: UInt64
        var slice = 0
    }

    private var active: [Active] = []
    /// The names of behaviours that were drawn for this connection, affected or not.
    private var drawn: [String: Bool] = [:]

    /// Whether nothing is done.
    var isEmpty: Bool { active.isEmpty }

    /// Takes over behaviours: those that were there before keep their state, and whether they affect
    /// the connection.
    mutating func update(
        _ behaviours: [StreamBehaviour], _ direction: StreamBehaviour.Direction,
        _ pump: inout StreamRelay.Pump, at now: Duration
    ) {
        let wanted = behaviours.filter { $0.direction == direction }
        guard !wanted.isEmpty || !active.isEmpty else { return }
        active = wanted.compactMap { behaviour in
            let isAffected =
                drawn[behaviour.name] ?? (Double.random(in: 0..<1) < behaviour.toxicity)
            drawn[behaviour.name] = isAffected
            guard isAffected else { return nil }
            if let old = active.first(where: { $0.behaviour.name == behaviour.name }),
                old.behaviour.kind == behaviour.kind
            {
                return old
            }
            return Active(
                behaviour: behaviour, since: now, base: pump.count, sliceBase: pump.count)
        }
        if active.isEmpty {
            pump.allowance = .max
            pump.holdsEnd = false
        }
    }

    /// Tells the pump what it may do now; returns what becomes of the connection, and when to ask
    /// again.
    mutating func apply(
        to pump: inout StreamRelay.Pump, sourceHasEnded: Bool, at now: Duration
    ) -> (fate: Fate, next: Duration?) {
        var (allowance, holdsEnd) = (Int.max, false)
        var times: [Duration] = []
        for index in active.indices {
            let since = active[index].since
            switch active[index].behaviour.kind {
            case .timeout(let milliseconds):
                if sourceHasEnded { return (.closes, nil) }
                allowance = 0
                holdsEnd = true
                guard milliseconds > 0 else { continue }
                let end = since + .milliseconds(milliseconds)
                if end <= now { return (.closes, nil) }
                times.append(end)
            case .resetPeer(let milliseconds):
                let end = since + .milliseconds(milliseconds)
                if end <= now { return (.isReset, nil) }
                times.append(end)
            case .slowClose(let milliseconds):
                holdsEnd = true
                guard pump.hasEnded else { continue }
                let end = active[index].moment ?? now + .milliseconds(milliseconds)
                active[index].moment = end
                if end <= now { holdsEnd = false } else { times.append(end) }
            case .limitData(let bytes):
                let passed = pump.count - active[index].base
                guard passed < UInt64(bytes) else {
                    if pump.isEmpty { return (.closes, nil) }
                    allowance = 0
                    continue
                }
                allowance = min(allowance, Int(UInt64(bytes) - passed))
            case .slicer(let average, let variation, let delay):
                let rest = nextSlice(index, pump, average, variation, delay, at: now)
                allowance = min(allowance, rest)
                if rest == 0, let moment = active[index].moment { times.append(moment) }
            }
        }
        (pump.allowance, pump.holdsEnd) = (allowance, holdsEnd)
        return (.goesOn, times.min())
    }

    /// How many bytes of the slice at hand are left; 0 during a pause.
    private mutating func nextSlice(
        _ index: Int, _ pump: StreamRelay.Pump, _ average: Int, _ variation: Int, _ delay: Int,
        at now: Duration
    ) -> Int {
        if let moment = active[index].moment {
            guard moment <= now else { return 0 }
            active[index].moment = nil
            active[index].slice = 0
        }
        if active[index].slice == 0 {
            active[index].slice = Int.random(in: average - variation...average + variation)
            active[index].sliceBase = pump.count
        }
        let passed = Int(pump.count - active[index].sliceBase)
        guard passed >= active[index].slice else { return active[index].slice - passed }
        active[index].moment = now + .microseconds(delay)
        return 0
    }
}
