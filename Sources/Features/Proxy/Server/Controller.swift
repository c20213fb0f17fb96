import LinuxKernel
import ProxyControl
import SystemPackage
import Uplink

/// A connection to a program that controls the proxy.
final class Controller: EventTarget {
    private let stream: OwnedDescriptor
    private var token: UInt64 = 0
    private let events: TargetedEvents<any EventTarget>
    private var collector = LineCollector()
    private var unsent: [UInt8] = []
    private let onCall: (Controller, ControlCall) -> Void
    private let onEnd: (Controller) -> Void
    private var hasEnded = false
    /// Whether it gets events.
    var isSubscribed = false
    /// How often it gets counters; nil: never.
    var counterInterval: Duration?
    var nextCounters = Duration.zero

    /// A controller that does not read gets no more than this, and is dropped.
    private static let mostUnsent = 16 << 20

    init(
        _ descriptor: FileDescriptor, events: TargetedEvents<any EventTarget>,
        onCall: @escaping (Controller, ControlCall) -> Void,
        onEnd: @escaping (Controller) -> Void
    ) throws(Errno) {
        stream = OwnedDescriptor(adopting: descriptor)
        (self.events, self.onCall, self.onEnd) = (events, onCall, onEnd)
        try descriptor.setNonblocking()
        token = try events.watch(descriptor, .edge, for: self)
    }

    func handle(_ event: EventQueue.Event, at now: Duration) {
        flush()
        var buffer = [UInt8](repeating: 0, count: 64 << 10)
        while !hasEnded {
            do throws(Errno) {
                let count = try stream.raw.readSome(into: &buffer)
                guard count > 0 else { return end() }
                receive(buffer.prefix(count))
            } catch {
                if error != .wouldBlock { end() }
                return
            }
        }
    }

    private func receive(_ bytes: ArraySlice<UInt8>) {
        guard let lines = collector.add(bytes) else {
            send(
                ControlAnswer(
                    nil, .failed(ControlError(.badCall, "a call is longer than a mebibyte"))))
            return end()
        }
        for line in lines where !line.isEmpty {
            if let call = try? ControlLine.decode(ControlCall.self, from: line) {
                onCall(self, call)
                continue
            }
            let number = try? ControlLine.decode(CallNumber.self, from: line).number
            send(
                ControlAnswer(
                    number, .failed(ControlError(.badCall, "the call is not understood"))))
        }
    }

    private struct CallNumber: Decodable {
        let number: UInt64
    }

    /// Sends an answer or an event.
    func send(_ answer: ControlAnswer) {
        guard !hasEnded, let line = try? ControlLine.encode(answer) else { return }
        unsent += line
        flush()
        if unsent.count > Self.mostUnsent { end() }
    }

    private func flush() {
        while !unsent.isEmpty, !hasEnded {
            do {
                let count = try stream.raw.writeSome(unsent)
                unsent.removeFirst(count)
            } catch {
                if error != .wouldBlock { end() }
                return
            }
        }
    }

    private func end() {
        guard !hasEnded else { return }
        hasEnded = true
        events.forget(token, stream.raw)
        onEnd(self)
    }
}
