/// Finds out whether another firewall of the host drops what a gateway needs: packets that come to its
/// rules, and none that leaves them.
struct FirewallWatch {
    /// Packets of one kind and family.
    struct Kind: Hashable {
        var traffic: WatchedTraffic
        var isIPv6: Bool
    }

    /// How many packets passed the beginning of the firewalls' hooks, and how many their end.
    struct Count: Hashable {
        var offered = 0
        var passed = 0
    }

    /// What has been found of one kind.
    struct Finding: Hashable, CustomStringConvertible {
        var kind: Kind
        /// How many have not passed since one did.
        var lost: Int

        var description: String {
            "this host's firewall drops \(kind.traffic.title) by IPv\(kind.isIPv6 ? 6 : 4): none of "
                + "the last \(lost) packets passed"
        }
    }

    private struct State {
        var last = Count()
        var lost = 0
        var hasPassed = false
        var isTold = false
    }

    private var states: [Kind: State] = [:]

    /// One or two may be between both counters, or have been dropped for a reason of their own.
    private static let evidence = 3
    /// Where devices have reached something outside, something else may be forbidden by intention.
    private static let evidenceOfChange = 30

    /// What is dropped entirely, and was not when this was asked last.
    mutating func findings(_ counts: [Kind: Count]) -> [Finding] {
        var findings: [Finding] = []
        for traffic in WatchedTraffic.allCases {
            for kind in [false, true].map({ Kind(traffic: traffic, isIPv6: $0) }) {
                guard let count = counts[kind] else { continue }
                var state = states[kind] ?? State()
                if count.passed > state.last.passed {
                    (state.lost, state.hasPassed, state.isTold) = (0, true, false)
                } else {
                    state.lost += count.offered - state.last.offered
                }
                state.last = count
                let enough =
                    state.hasPassed && traffic.isForwarded ? Self.evidenceOfChange : Self.evidence
                if state.lost >= enough, !state.isTold {
                    state.isTold = true
                    findings.append(Finding(kind: kind, lost: state.lost))
                }
                states[kind] = state
            }
        }
        return findings
    }
}
