import DataPlane
import LinkModel
import LinkUnits
import LinuxKernel
import Netlink
import PacketEngine
import PacketLoop
import TrafficControl

/// Conditions of an interface in the hands of the engine.
final class InterfaceEmulation {
    /// What tells them from others.
    struct ID: Hashable {
        /// The index of the interface.
        var target: Int32
        /// Their name.
        var name: String
    }

    /// A direction with its wire and its loop.
    struct Way {
        var redirect: Redirect
        let ends: Redirect.Ends
        let loop: RedirectLoop
        /// What had passed at the beginning of the current second.
        var last = (bytes: ByteCount(bytes: 0), time: KernelClock.monotonic)
        var bitsPerSecond: UInt64 = 0
    }

    /// The interface; its name can change.
    private(set) var target: Interface
    private(set) var address: [UInt8]
    private(set) var request: ApplyRequest
    /// Where the random numbers began.
    let seed: UInt64
    /// Their number among those of the interface.
    let slot: Int
    private(set) var ways: [Direction: Way] = [:]
    /// The directions whose packets pass unconditioned, since somebody took the wire away, with its
    /// name.
    private(set) var lost: [Direction: String] = [:]

    /// Takes over an interface whose ways stand.
    init(_ link: Link, _ request: ApplyRequest, seed: UInt64, slot: Int, ways: [Way]) {
        target = Interface(index: link.index, name: link.name)
        address = link.address
        self.request = request
        self.seed = seed
        self.slot = slot
        for way in ways { self.ways[way.redirect.direction] = way }
    }

    var id: ID { ID(target: target.index, name: request.name) }

    var mark: RedirectMark { RedirectMark(request, on: target.index) }

    /// What the table of the interface has to take for them.
    var hooks: [HookTable.Way] {
        ways.values.map { HookTable.Way(redirect: $0.redirect, selector: request.selector) }
    }

    /// Changes the conditions and adds ways; what is under way is not lost. Returns the ways that
    /// are conditioned no more.
    func change(
        to request: ApplyRequest, _ traces: LinkTraces, adding added: [Way]
    ) -> [Way] {
        self.request = request
        for way in ways.values { way.loop.change(to: request.conditions, traces: traces) }
        for way in added {
            ways[way.redirect.direction] = way
            lost[way.redirect.direction] = nil
        }
        lost = lost.filter { request.directions.contains($0.key) }
        let gone = ways.values.filter { !request.directions.contains($0.redirect.direction) }
        for way in gone { ways[way.redirect.direction] = nil }
        // Nobody else would carry them.
        for way in ways.values where way.redirect.isOfLoopback {
            way.loop.setPassesOthers(ways.count == 1)
        }
        return gone
    }

    /// Gives up the ways whose wires are gone or down, where no packet comes through, and returns
    /// them.
    func loseWays(_ links: [Int32: Link]) -> [Way] {
        let broken = ways.values.filter { way in
            ![way.ends.near, way.ends.far].allSatisfy { links[$0]?.isUp == true }
        }
        for way in broken {
            ways[way.redirect.direction] = nil
            lost[way.redirect.direction] = way.redirect.near
        }
        return broken
    }

    /// What was lost, for people; nil if nothing was.
    private var loss: String? {
        guard !lost.isEmpty else { return nil }
        let directions = Direction.allCases.filter { lost[$0] != nil }
        let names = directions.compactMap { lost[$0] }.joined(separator: " and ")
        return "\(names), by which its packets came to the packet engine, is gone or down, so that "
            + "what goes \(directions.map(\.rawValue).joined(separator: " and ")) is not conditioned "
            + "any more; apply again with --replace, or linkcond clear"
    }

    /// Takes note of a new name or address of the interface.
    func follow(_ link: Link) {
        target = Interface(index: link.index, name: link.name)
        address = link.address
        for direction in ways.keys {
            ways[direction]?.redirect.target = target
            ways[direction]?.redirect.address = address
        }
    }

    /// Measures the rates. To be called each second.
    func tick() {
        let now = KernelClock.monotonic
        for (direction, way) in ways {
            let bytes = way.loop.statistics.link.deliveredBytes
            let elapsed = now - way.last.time
            guard elapsed > .milliseconds(500) else { continue }
            let passed = Double(bytes.bytes - way.last.bytes.bytes)
            ways[direction]?.bitsPerSecond = UInt64(passed * 8 / (elapsed / .seconds(1)))
            ways[direction]?.last = (bytes, now)
        }
    }

    /// What there is to know of it.
    var status: ConditionedInterface {
        let conditions = request.conditions.withExplicitLoss
        let statistics = ways.mapValues(\.loop.statistics)
        let flaw = loss ?? Faithfulness(Array(statistics.values)).note
        var status = ConditionedInterface(
            by: .engine, on: target.name, index: target.index, name: request.name,
            profile: request.profile, since: request.now, limit: request.limit)
        status.slot = slot
        status.selection = request.selector.text
        status.seed = seed
        for (direction, way) in ways {
            var counters = statistics[direction]?.counters ?? DirectionCounters()
            counters.bitsPerSecond = way.bitsPerSecond
            status.directions[direction] = ConditionedDirection(
                direction.conditions(of: conditions), counters)
        }
        if request.directions.contains(.up) { status.dnsDelay = conditions.dnsDelay }
        status.problem = flaw
        status.isFaithful = flaw == nil
        return status
    }
}
