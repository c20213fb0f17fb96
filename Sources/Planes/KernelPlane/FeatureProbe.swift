import DataPlane
import LinkUnits
import LinuxKernel
import Netlink
import SystemPackage
import TrafficControl

/// The kernel's answer to the use of a feature.
public enum FeatureAnswer: Sendable, Hashable {
    case present
    case missing
    /// It refused for another reason, in its own words.
    case unclear(String)
}

/// Detects the kernel's features by using each of them in a new network namespace.
public enum FeatureProbe {
    /// The answers for all features; this loads the modules that can be loaded.
    ///
    /// Requires `CAP_SYS_ADMIN`, for the namespace, and `CAP_NET_ADMIN`.
    public static func run() throws -> [KernelFeature: FeatureAnswer] {
        try Privilege.requireTryingNetworks()
        return try NetworkNamespace.withNew {
            let session = try NetlinkSession()
            var answers: [KernelFeature: FeatureAnswer] = [:]
            for feature in KernelFeature.allCases {
                answers[feature] = try answer(feature, session, isLeft: feature == .ifb)
            }
            return answers
        }
    }

    /// The first of `needed` features that the kernel lacks, tested on the loopback interface of
    /// the calling thread's namespace, which nobody else may use. Nil if it has them all, or gives
    /// no clear answer.
    static func firstMissing(of needed: [KernelFeature]) -> KernelFeature? {
        guard let session = try? NetlinkSession() else { return nil }
        return KernelFeature.allCases.first { feature in
            needed.contains(feature) && (try? answer(feature, session)) == .missing
        }
    }

    /// Every namespace has a loopback interface with this index.
    private static let loopback = Interface(index: 1, name: "lo")

    /// - Parameter isLeft: whether what was made stays until the namespace ends. For an interface to be
    ///   deleted the kernel lets the caller wait some 40 ms, for a namespace not at all.
    private static func answer(
        _ feature: KernelFeature, _ session: NetlinkSession, isLeft: Bool = false
    ) throws(NetlinkError) -> FeatureAnswer {
        let attempt = attempt(feature)
        let failures = try session.execute(attempt.operations.map(\.message))
        if !isLeft {
            _ = try session.execute(
                attempt.operations.reversed().compactMap(\.inverse).map(\.message))
        }
        guard let failure = failures.first(where: { $0.index == attempt.deciding }) else {
            return .present
        }
        if attempt.operations[..<attempt.deciding].indices.contains(where: { index in
            failures.contains { $0.index == index }
        }) {
            return .missing
        }
        switch failure.errno {
        case .noSuchFileOrDirectory, .notSupportedOnSocket, .invalidArgument: return .missing
        default: return .unclear("\(failure.kernelText ?? "") \(failure.errno)")
        }
    }

    /// The operations to try, and which of them needs the feature.
    private static func attempt(
        _ feature: KernelFeature
    ) -> (operations: [TrafficOperation], deciding: Int) {
        switch feature {
        case .netem: return root(.netem(Netem()))
        case .tbf:
            return root(
                .tokenBucket(
                    TokenBucket(
                        // With less than the loopback's longest packet the kernel logs a warning.
                        rate: .megabitsPerSecond(1), burst: ByteCount(bytes: 70_000),
                        limit: ByteCount(bytes: 70_000))))
        case .prio: return root(.priority(bands: 2))
        case .htb: return root(.hierarchicalTokenBucket(defaultClass: 1))
        case .codel:
            return root(.activeQueue(ActiveQueue(algorithm: .codel, limit: 100, marks: true)))
        case .fqCodel:
            return root(.activeQueue(ActiveQueue(algorithm: .fqCodel, limit: 100, marks: true)))
        case .pie: return root(.activeQueue(ActiveQueue(algorithm: .pie, limit: 100, marks: true)))
        case .clsact: return ([.addQdisc(.clsact(on: loopback))], 0)
        case .u32:
            return filter(verdict: .classify(QdiscHandle(rawValue: 1)))
        case .programs:
            guard let program = PacketProgram(anyOf: [], in: .after(0)) else {
                preconditionFailure("a program without rules is short")
            }
            return filter(.program(program), verdict: .classify(QdiscHandle(rawValue: 1)))
        case .mirred:
            return filter(verdict: .redirect(to: loopback, cookie: Filter.ownCookie))
        case .ifb:
            return ([.addIFB(Interface(index: 1000, name: "probe"))], 0)
        }
    }

    private static func root(_ kind: Qdisc.Kind) -> ([TrafficOperation], Int) {
        let qdisc = Qdisc(
            interface: loopback, handle: Ownership.Handle.segmenter, parent: .root, kind: kind)
        return ([.addQdisc(qdisc)], 0)
    }

    private static func filter(
        _ match: Filter.Match = .words([]), verdict: Filter.Verdict
    ) -> ([TrafficOperation], Int) {
        let filter = Filter(
            interface: loopback, parent: .clsactEgress, preference: 1, networkProtocol: .ipv4,
            match: match, verdict: verdict)
        return ([.addQdisc(.clsact(on: loopback)), .addFilter(filter)], 1)
    }
}
