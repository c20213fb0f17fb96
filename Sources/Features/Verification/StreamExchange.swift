import LinuxKernel
import SystemPackage

/// The TCP part of a probe. The app connects; the end that then writes determines the direction of
/// the transfer.
struct StreamExchange {
    private let plan: ProbePlan
    private let role: Rendezvous.Role
    private let address: IPAddress
    private let listeners: [Listener]

    private final class Listener {
        let listener: BulkListener

        init(port: UInt16) throws(KernelError) {
            listener = try BulkListener(port: port)
        }
    }

    init(
        _ plan: ProbePlan, role: Rendezvous.Role, peer: (ipv4: IPAddress, ipv6: IPAddress)
    ) throws {
        self.plan = plan
        self.role = role
        address = peer.ipv4
        var listeners: [Listener] = []
        if role == .far {
            for port in plan.transfers.map(\.port) { listeners.append(try Listener(port: port)) }
            for connects in plan.connects {
                // Without the privilege, the app's attempts fail and are not judged.
                if let listener = try? Listener(port: connects.port) { listeners.append(listener) }
            }
        }
        self.listeners = listeners
    }

    func run(from start: Duration, into report: inout ProbeReport) throws {
        for (index, transfer) in plan.transfers.enumerated() {
            let result = try? run(transfer, at: index, from: start)
            if Rendezvous.Role.sender(of: transfer.direction) != role {
                report.transfers[index] = result ?? .init()
            }
        }
        guard role == .app else { return }
        for (index, connects) in plan.connects.enumerated() {
            sleep(until: start + connects.start)
            report.connects[index] = (0..<connects.count).compactMap { _ in
                let begin = KernelClock.monotonic
                guard
                    let stream = try? BulkStream(
                        to: Endpoint(address, port: connects.port),
                        until: begin + connects.patience)
                else { return nil }
                // The kernel's measurement does not include this process's wake-up latency.
                return stream.roundTrip ?? KernelClock.monotonic - begin
            }
        }
    }

    private func run(
        _ transfer: ProbePlan.Transfer, at index: Int, from start: Duration
    ) throws(KernelError) -> ProbeReport.Transfer {
        let end = start + transfer.end
        let stream = try open(transfer, at: index, from: start, until: end)
        var result = ProbeReport.Transfer()
        guard Rendezvous.Role.sender(of: transfer.direction) != role else {
            while KernelClock.monotonic < end { _ = try stream.write(until: end) }
            return result
        }
        let counted = start + transfer.start + transfer.warmUp
        var total = 0
        var last = counted - .milliseconds(1)
        while KernelClock.monotonic < end {
            let bytes: Int
            do {
                bytes = try stream.read(until: end)
            } catch  where error.errno == .timedOut {
                break
            }
            guard bytes > 0 else { break }
            total += bytes
            let now = KernelClock.monotonic
            guard now - last >= .milliseconds(1) else { continue }
            last = now
            result.times.append((now - counted).seconds)
            result.totals.append(Double(total))
        }
        return result
    }

    private func open(
        _ transfer: ProbePlan.Transfer, at index: Int, from start: Duration, until end: Duration
    ) throws(KernelError) -> BulkStream {
        guard role == .app else { return try listeners[index].listener.accept(until: end) }
        sleep(until: start + transfer.start)
        return try BulkStream(to: Endpoint(address, port: transfer.port), until: end)
    }

    private func sleep(until deadline: Duration) {
        _ = Readiness.wait(for: [], until: deadline)
    }
}
