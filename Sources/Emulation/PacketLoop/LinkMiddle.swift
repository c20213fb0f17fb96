import LinkModel
import LinuxKernel
import Middleboxes
import Synchronization

/// What stands in the middle of a link, which both directions share.
///
/// Packets of the app meet it when they leave the link, on the thread of their direction. Its
/// answers to them enter the link toward the app on the other thread, which is woken for that.
final class LinkMiddle: Sendable {
    /// A packet that enters the link toward the app.
    struct Answer {
        /// The link-layer header of the packet that it answers.
        var link: [UInt8]
        /// The packet.
        var packet: [UInt8]
        /// What is still to be done to it, as to a super-packet that is turned back.
        var virtual = VirtualHeader()
    }

    /// Nobody takes more answers than this while others wait.
    private static let mostAnswers = 1000

    private let stage: Mutex<MiddleboxStage>
    private let answers = Mutex<[Answer]>([])
    private let waker = Mutex<(@Sendable () -> Void)?>(nil)
    private let hasEffect: Atomic<Bool>
    private let streamAnswers = Mutex<[Direction: [ResolverAnswer.Kind: UInt64]]>([:])
    /// The link-layer address of the app, as far as it is known.
    private let app = Mutex<[UInt8]>([])
    private let hasAnswers = Atomic<Bool>(false)

    /// Makes what stands there; nil: nothing.
    ///
    /// - Parameters:
    ///   - place: the addresses of its two sides.
    ///   - seed: the seed of what happens by chance.
    init(_ middlebox: Middlebox?, at place: MiddleboxPlace? = nil, seed: UInt64 = 0) {
        let stage = MiddleboxStage(middlebox, at: place, seed: seed)
        hasEffect = Atomic(!stage.isIdle)
        self.stage = Mutex(stage)
    }

    /// Whether packets have to be shown to it.
    var isActive: Bool { hasEffect.load(ordering: .relaxed) }

    /// The addresses of its two sides if a NAT makes a difference between them.
    var translatedPlace: MiddleboxPlace? { stage.withLock { $0.translatedPlace } }

    /// The address outside of a NAT64, which nobody else has; nil: there is none.
    var standIn: IPAddress? { stage.withLock { $0.standIn } }

    /// The link-layer address of the app; empty if it has sent nothing through a NAT64 yet.
    var appAddress: [UInt8] { app.withLock(\.self) }

    /// Notes from a link-layer header of the app where packets for it go.
    func note(_ link: [UInt8]) {
        guard link.count >= 12 else { return }
        app.withLock { $0 = Array(link[6..<12]) }
    }

    /// What an ICMP error of the link about a packet toward the app is on the network's side; nil if it
    /// is the same there.
    func change(ofError packet: PacketFields, at time: Duration) -> HeaderChange? {
        stage.withLock { $0.change(ofError: packet, at: time) }
    }

    /// How often a NAT has forgotten its entries by intention.
    var rebindings: UInt64 { stage.withLock { $0.rebindings } }

    /// The rebindings that were not taken yet, in their order.
    func takeRebindings(at time: Duration) -> [Rebinding] {
        stage.withLock { $0.takeRebindings(at: time) }
    }

    /// Whether a captive portal holds the app back.
    func isCaptive(at time: Duration) -> Bool { stage.withLock { $0.isCaptive(at: time) } }

    /// Opens the captive portal, since somebody has clicked on its page.
    func clickPortal(at time: Duration) { stage.withLock { $0.clickPortal(at: time) } }

    /// The events of the captive portal that were not taken yet, in their order.
    func takePortalEvents(at time: Duration) -> [PortalEvent] {
        stage.withLock { $0.takePortalEvents(at: time) }
    }

    /// The name server that the app asked by a TCP connection that leads to the middle's own.
    func nameServer(askedBy peer: Endpoint) -> Endpoint? {
        stage.withLock { $0.nameServer(askedBy: peer) }
    }

    /// Whether names without an IPv6 address get one of the NAT64's.
    var synthesizesNames: Bool { stage.withLock { $0.synthesizesNames } }

    /// What it answers to a question for a name by TCP; nil: nothing.
    func answer(toQuestionFor name: String, at time: Duration) -> ResolverAnswer? {
        let answer = stage.withLock { $0.answer(toQuestionFor: name, at: time) }
        if let answer { countAnswers(1, answer.kind, .up) }
        return answer
    }

    /// Counts answers by TCP.
    func countAnswers(_ count: Int, _ kind: ResolverAnswer.Kind, _ direction: Direction) {
        streamAnswers.withLock { $0[direction, default: [:]][kind, default: 0] += UInt64(count) }
    }

    /// These statistics of a direction with the answers by TCP.
    func complete(
        _ statistics: DirectionStatistics, _ direction: Direction
    ) -> DirectionStatistics {
        var statistics = statistics
        let answers = streamAnswers.withLock { $0[direction] ?? [:] }
        statistics.answered.merge(answers, uniquingKeysWith: +)
        return statistics
    }

    /// Replaces what stands there.
    func change(to middlebox: Middlebox?, at time: Duration) {
        stage.withLock {
            $0.change(to: middlebox, at: time)
            hasEffect.store(!$0.isIdle, ordering: .relaxed)
        }
    }

    /// Decides on a packet.
    func verdict(
        on packet: PacketFields, _ direction: Direction, at time: Duration
    ) -> MiddleboxVerdict {
        stage.withLock { $0.verdict(on: packet, direction, at: time) }
    }

    /// Sets what wakes the thread of the direction toward the app.
    func setWaker(_ wake: @escaping @Sendable () -> Void) { waker.withLock { $0 = wake } }

    /// Sends an answer toward the app; false if too many wait.
    @discardableResult
    func send(_ answer: Answer) -> Bool {
        let isTaken = answers.withLock {
            guard $0.count < Self.mostAnswers else { return false }
            $0.append(answer)
            return true
        }
        hasAnswers.store(true, ordering: .releasing)
        waker.withLock { $0 }?()
        return isTaken
    }

    /// The answers that have not entered the link yet.
    func takeAnswers() -> [Answer] {
        guard hasAnswers.exchange(false, ordering: .acquiring) else { return [] }
        return answers.withLock { answers in
            defer { answers = [] }
            return answers
        }
    }
}
