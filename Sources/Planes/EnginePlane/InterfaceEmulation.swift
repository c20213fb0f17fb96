import DataPlane
import LinkModel
import LinkUnits
import LinuxKernel
import Netlink
import PacketEngine
import PacketLoop
import TrafficControl

/// The engine's emulation of one set of conditions on an interface.
final class InterfaceEmulation {
    /// Identifies the conditions.
    struct ID: Hashable {
        /// The index of the interface.
        var target: Int32
        /// Their name.
        var name: String
    }

    /// A direction with its veth pair and its loop.
    struct Way {
        var redirect: Redirect
        let ends: Redirect.Ends
        /// What takes packets to the interface's address; nil if there is none.
        let claim: PacketClaim?
        let loop: RedirectLoop
        /// The byte count at the start of the current second.
        var last = (bytes: ByteCount(bytes: 0), time: KernelClock.monotonic)
        var bitsPerSecond: UInt64 = 0
    }

    /// The interface; its name can change.
    private(set) var target: Interface
    private(set) var address: [UInt8]
    private(set) var request: ApplyRequest
    /// The seed of the random numbers.
    let seed: UInt64
    /// Their slot on the interface.
    let slot: Int
    private(set) var ways: [Direction: Way] = [:]
    /// The directions that are unconditioned because somebody removed the veth pair, with its name.
    private(set) var lost: [Direction: String] = [:]

    /// Takes over an interface whose ways are in place.
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

    /// What the interface's table has to redirect for them.
    func hooks(_ addresses: [HostName: [IPAddress]]) -> [HookTable.Way] {
        ways.values.compactMap {
            HookTable.Way.present($0.redirect, request.selector, addresses)
        }
    }

    /// Changes the conditions and adds ways; packets in flight are not lost. Returns the ways that
    /// are no longer conditioned.
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
        // No other loop would carry them.
        for way in ways.values where way.redirect.isOfLoopback {
            way.loop.setPassesOthers(ways.count == 1)
        }
        return gone
    }

    /// Gives up and returns the ways whose veth pairs are gone or down, and so carry no packets.
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

    /// That somebody has removed the hooks, for people.
    private var unhooked: String {
        "another program has removed linkcond's filters from the interface, so that packets pass "
            + "unconditioned; apply again with --replace"
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

    /// Which control groups are gone, for people; nil if none is.
    private var absence: String? {
        let gone = request.selector.included.groups.filter { $0.lack != nil }
        guard let first = gone.first else { return nil }
        return
            "the control group \(first) is gone, so that nothing of it is conditioned until there "
            + "is one of that name again"
    }

    /// Which names are not found any more, for people; nil if none is.
    private func silence(of names: Set<HostName>) -> String? {
        guard let first = request.selector.included.toNames.first(where: names.contains) else {
            return nil
        }
        return
            "the name \(first) is not found any more (getent ahosts \(first)), so that what goes "
            + "to the addresses that it had is conditioned, and to new ones is not"
    }

    /// Records a new name or address of the interface.
    func follow(_ link: Link) {
        target = Interface(index: link.index, name: link.name)
        address = link.address
        for direction in ways.keys {
            ways[direction]?.redirect.target = target
            ways[direction]?.redirect.address = address
            ways[direction]?.claim?.change(to: address)
        }
    }

    /// Measures the rates. Call once a second.
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

    /// The status of the conditions.
    ///
    /// - Parameters:
    ///   - names: Names that are not found any more.
    ///   - isUnhooked: Whether somebody has removed what redirects the packets.
    func status(missing names: Set<HostName>, isUnhooked: Bool = false) -> ConditionedInterface {
        let conditions = request.conditions.withExplicitLoss
        let statistics = ways.mapValues(\.loop.statistics)
        let flaw =
            loss ?? absence ?? (isUnhooked ? unhooked : nil) ?? silence(of: names)
            ?? Faithfulness(Array(statistics.values)).note
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
                request.linkDirection(of: direction).conditions(of: conditions), counters,
                delay: MeasuredDelay(
                    statistics[direction]?.recentTimes.quantiles(.percent(50), .percent(99))))
        }
        if request.directions.contains(request.linkDirection(of: .up)) {
            status.dnsDelay = conditions.dnsDelay
        }
        status.problem = flaw
        status.isFaithful = flaw == nil
        return status
    }
}
