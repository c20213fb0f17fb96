import DataPlane
import FoundationEssentials
import LinkModel
import LinkUnits
import PacketEngine
import TrafficControl

@testable import EnginePlane

/// Readers of what is said to the packet engine, and by it, over its socket.
enum Engine {
    private static let decoder = JSONDecoder()

    static func message(_ bytes: [UInt8]) {
        let message = Data(bytes)
        _ = try? decoder.decode(ServiceGreeting.self, from: message)
        if let reply = try? decoder.decode(ServiceReply.self, from: message) { read(reply) }
        guard (try? decoder.decode(EngineListener.Outline.self, from: message)) != nil,
            let request = try? decoder.decode(ServiceRequest.self, from: message),
            case .apply(let asked) = request.change, (try? asked.check()) != nil
        else { return }
        carryOut(asked.apply)
    }

    private static func read(_ reply: ServiceReply) {
        switch reply.content {
        case .interface(let interface): _ = "\(interface)"
        case .failed(let error): _ = error.description
        case .done: break
        }
    }

    /// What the engine makes of a request, but for what it asks of the kernel.
    private static func carryOut(_ request: ApplyRequest) {
        let mark = RedirectMark(request, on: 7)
        precondition(mark.alias.utf8.count <= 254, "an alias has room in the kernel")
        _ = RedirectMark(alias: mark.alias)
        _ = try? request.traces(from: [])
        let target = Interface(index: 7, name: "eth0")
        let ways = request.directions.map { direction in
            HookTable.Way(
                redirect: Redirect(
                    target: target, address: [2, 0, 0, 0, 0, 7], direction: direction, slot: 0),
                selector: request.selector)
        }
        let table = HookTable(target: target, ways: ways)
        // Nobody who asks may write a line of it.
        precondition(
            table.addText.split(separator: "\n").allSatisfy { $0.hasPrefix("add ") }, table.addText)
        for direction in request.directions { emulate(request, direction) }
    }

    private static func emulate(_ request: ApplyRequest, _ direction: Direction) {
        let conditions = request.conditions.withExplicitLoss
        let way = direction.conditions(of: conditions)
        var link = LinkEmulator(way, dnsDelay: conditions.dnsDelay, seed: request.seed ?? 1)
        var time = Duration.zero
        for slot in 0..<60 as Range<UInt32> {
            let packet = Packet(
                slot: slot, length: ByteCount(bytes: UInt64(40 + slot * 24)), flow: slot % 3,
                isDNS: slot % 5 == 0)
            link.enqueue(packet, at: time)
            time += .microseconds(Int(slot) * 300)
            while link.nextVerdict(at: time) != nil {}
            if slot == 40 {
                link.change(to: way, dnsDelay: conditions.dnsDelay, at: time)
            }
        }
        for _ in 0..<200 {
            guard let next = link.nextEvent else { break }
            time = max(time, next)
            while link.nextVerdict(at: time) != nil {}
        }
        let counters = link.counters
        precondition(
            counters.heldPackets <= counters.arrivedPackets, "no packet comes from nowhere")
    }
}
