import LinkModel
import LinkUnits
import LinuxKernel
import Verification

/// One end of the UDP part of a measurement: it sends its trains on time, and receives in between.
struct ProbeExchange: ~Copyable {
    /// What an end saw of a round.
    struct Report {
        /// How many packets of each own train were sent, and when, in nanoseconds by
        /// `KernelClock.monotonic`.
        var sent: [[Int64]] = []
        /// Whether the interface did not take packets of a train.
        var tooLarge: [Bool] = []
        /// What arrived, in order.
        var numbers: [UInt32] = []
        /// When it was sent and when it arrived, in nanoseconds by the `KernelClock.monotonic` of each
        /// end.
        var sentTimes: [Int64] = []
        var arrivalTimes: [Int64] = []
        var damaged = 0
        /// Packets that found no room in the socket's buffer.
        var overflows = 0
    }

    private var socket: ProbeSocket
    private let headerBytes: Int
    private var report = Report()
    /// Which numbers have arrived.
    private var isKnown: [Bool] = []
    private var missing = 0
    private var lastArrival = Duration.zero

    /// A sender that the machine holds up this much longer than planned gives up the rest.
    private static let grace = Duration.milliseconds(300)
    /// After the end of a round, whatever still comes.
    private static let patience = Duration.seconds(30)
    /// No clock's, in nanoseconds: more than a century.
    private static let latestTime = Int64(4_000_000_000_000_000_000)
    /// How often it looks whether the other end is still there.
    private static let heartbeat = Duration.milliseconds(50)

    init(_ socket: consuming ProbeSocket, isIPv6: Bool) {
        self.socket = socket
        headerBytes = (isIPv6 ? InternetFamily.ipv6 : .ipv4).headerBytes
    }

    var pathMTU: Int? { socket.pathMTU }

    /// Runs a round, of which this end sends the trains in `own` direction.
    ///
    /// - Parameter goesOn: is asked from time to time; the exchange ends when it says no.
    mutating func run(
        _ round: ProbeRound, own: Direction, goesOn: () -> Bool
    ) throws(KernelError) -> Report {
        report = Report()
        let other = Direction.allCases.first { $0 != own } ?? own
        let expected = round.trains(other)
        isKnown = [Bool](repeating: false, count: Int(round.endNumber))
        for train in expected {
            for number in 0..<train.count { isKnown[Int(train.first) + number] = false }
        }
        missing = expected.reduce(0) { $0 + $1.count }
        let overflowed = socket.dropped
        let begin = KernelClock.monotonic
        for train in round.trains(own) {
            try send(train, from: begin, of: expected, goesOn)
        }
        let othersEnd = begin + (round.end(of: other) ?? .zero)
        lastArrival = max(lastArrival, othersEnd)
        let deadline = othersEnd + Self.patience
        while missing > 0 {
            let now = KernelClock.monotonic
            let end = min(deadline, max(lastArrival, othersEnd) + round.quiet)
            guard now < end, goesOn() else { break }
            if Readiness.wait(for: [socket.descriptor], until: min(end, now + Self.heartbeat)) {
                try receive(expected)
            }
        }
        report.overflows = Int(clamping: socket.dropped - overflowed)
        return report
    }

    private mutating func send(
        _ train: ProbeTrain, from begin: Duration, of expected: [ProbeTrain], _ goesOn: () -> Bool
    ) throws(KernelError) {
        var payload = [UInt8](
            repeating: 0, count: max(ProbeHead.byteCount, train.packetBytes - headerBytes))
        var (times, isTooLarge): ([Int64], Bool) = ([], false)
        times.reserveCapacity(train.count)
        var slip = Duration.zero
        var nextLook = KernelClock.monotonic
        sending: while times.count < train.count {
            let due = begin + train.start + train.interval * times.count + slip
            let now = KernelClock.monotonic
            if now >= nextLook {
                guard goesOn() else { break }
                nextLook = now + Self.heartbeat
            }
            guard now < begin + train.end + Self.grace else { break }
            if now < due {
                if Readiness.wait(for: [socket.descriptor], until: min(due, nextLook)) {
                    try receive(expected)
                }
                continue
            }
            // An overloaded sender has no pause; but arrivals must not pile up.
            if times.count.isMultiple(of: 16) { try receive(expected) }
            let time = KernelClock.monotonic
            ProbeHead(number: train.first + UInt32(times.count), sent: time).write(to: &payload)
            switch try socket.send(payload) {
            case .sent:
                times.append(Int64(clamping: time.wholeNanoseconds))
                // Packets made up for would stand in each other's way.
                if !train.catchesUp { slip += max(.zero, now - due - .microseconds(200)) }
            case .notNow:
                // The same packet a little later.
                slip += .milliseconds(1)
            case .tooLarge:
                if isTooLarge { break sending }
                // The answer to an earlier packet, or the interface itself.
                isTooLarge = true
            }
        }
        report.sent.append(times)
        report.tooLarge.append(isTooLarge && times.isEmpty)
    }

    private mutating func receive(_ expected: [ProbeTrain]) throws(KernelError) {
        while true {
            var (numbers, sent, received) = ([UInt32](), [Int64](), [Int64]())
            var damaged = 0
            let count = try socket.receive { payload, time in
                guard let head = ProbeHead(payload) else {
                    damaged += 1
                    return
                }
                numbers.append(head.number)
                sent.append(Int64(clamping: head.sent.wholeNanoseconds))
                received.append(Int64(clamping: time.wholeNanoseconds))
            }
            guard count > 0 else { return }
            lastArrival = KernelClock.monotonic
            report.damaged += damaged
            // Copies without end are not kept.
            for index in numbers.indices where report.numbers.count < 4 * isKnown.count {
                let number = numbers[index]
                // A time far from today could not be subtracted.
                guard sent[index] < Self.latestTime,
                    expected.contains(where: { train in
                        number >= train.first && Int(number - train.first) < train.count
                    })
                else { continue }
                if !isKnown[Int(number)] {
                    isKnown[Int(number)] = true
                    missing -= 1
                }
                report.numbers.append(number)
                report.sentTimes.append(sent[index])
                report.arrivalTimes.append(received[index])
            }
        }
    }
}
