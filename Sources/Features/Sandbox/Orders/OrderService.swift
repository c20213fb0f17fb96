import LinkModel
import LinuxKernel
import PacketLoop
import SystemPackage

/// Carries out the orders that a run gets while its command runs; for the main thread of its first
/// process.
final class OrderService {
    private let channel: MessageChannel
    private var isOpen = true

    init(_ channel: MessageChannel, _ links: SandboxLinks) {
        self.channel = channel
        channel.send(json: LinkReply.started(links.dataPlane))
    }

    /// What is readable when there is an order.
    var wakeUps: [FileDescriptor] { isOpen ? [channel.descriptor] : [] }

    /// Carries out all orders that have arrived.
    func turn(_ links: SandboxLinks) {
        while isOpen, !Readiness.wait(for: [channel.descriptor], timeout: .zero).isEmpty {
            guard let order = channel.receive(LinkOrder.self) else {
                isOpen = false
                return
            }
            channel.send(json: carryOut(order, links))
        }
    }

    private func carryOut(_ order: LinkOrder, _ links: SandboxLinks) -> LinkReply {
        let interface = links.request.interfaces[0].name
        switch order {
        case .change(let conditions, let profile):
            do {
                try links.change(
                    interface, to: conditions, profile: profile,
                    traces: LoadedTraces(readingFor: [conditions]))
                return .changed
            } catch {
                return .refused("\(error)")
            }
        case .report:
            return .report(
                LinkReport(
                    counters: links.counters(of: interface) ?? LinkCounters(),
                    problem: links.loop(of: interface).flatMap { Faithfulness($0).note }))
        }
    }
}
