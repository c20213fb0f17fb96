import DataPlane
import LinuxKernel
import Synchronization

/// Looks the names of conditions up again and again, on a thread of its own: a name server that
/// does not answer must not keep the engine waiting.
final class NameWatch: Sendable {
    /// From the end of one look to the next. Programs do not ask more often than answers are valid,
    /// but nobody tells for how long that is.
    private static let pause = Duration.seconds(5)

    private struct State {
        var known: [HostName: NamedAddresses] = [:]
        var watched: Set<HostName> = []
        var isLooking = false
    }

    private let state = Mutex(State())

    /// The addresses that are conditioned for each name.
    var addresses: [HostName: [IPAddress]] { state.withLock { $0.known.mapValues(\.all) } }

    /// The names that are not found any more.
    var missing: Set<HostName> {
        state.withLock { Set($0.known.filter(\.value.isMissing).keys) }
    }

    /// Takes the addresses that somebody else has found.
    func learn(_ found: [HostName: [IPAddress]]) {
        guard !found.isEmpty else { return }
        let now = KernelClock.monotonic
        state.withLock { state in
            for (name, addresses) in found {
                state.known[name, default: NamedAddresses()].learn(addresses, at: now)
            }
        }
    }

    /// Looks after these names from now on, and forgets all others.
    func watch(_ names: Set<HostName>) {
        let isNeeded = state.withLock { state in
            guard state.watched != names else { return false }
            state.watched = names
            state.known = state.known.filter { names.contains($0.key) }
            guard !names.isEmpty, !state.isLooking else { return false }
            state.isLooking = true
            return true
        }
        guard isNeeded else { return }
        do {
            _ = try KernelThread(named: "names") { [self] in look() }
        } catch {
            // The next change of the names tries again; until then they keep their addresses.
            state.withLock { ($0.isLooking, $0.watched) = (false, []) }
        }
    }

    /// Returns when there are no names any more.
    private func look() {
        while true {
            _ = Readiness.wait(for: [], timeout: Self.pause)
            let names = state.withLock { state in
                if state.watched.isEmpty { state.isLooking = false }
                return state.watched
            }
            guard !names.isEmpty else { return }
            for name in names {
                let found = (try? HostLookup.allAddresses(of: name.description)) ?? []
                let now = KernelClock.monotonic
                state.withLock { $0.known[name]?.learn(found, at: now) }
            }
        }
    }
}

/// The addresses of one name: those of the last answer, and those of earlier ones for a while.
///
/// Connections outlive answers, and large sites answer each time with some of many addresses.
struct NamedAddresses: Hashable {
    /// How long an address is kept that answers do not have any more.
    static let memory = Duration.seconds(3600)
    /// A name server that makes up addresses must not fill the kernel's tables.
    static let most = 256
    /// So many failures in a row are more than a lost packet.
    private static let patience = 3

    /// When an answer last had them.
    private var seen: [IPAddress: Duration] = [:]
    private var failures = 0

    /// In an order that does not depend on that of the answers.
    var all: [IPAddress] { seen.keys.sorted { ($0.high, $0.low) < ($1.high, $1.low) } }

    /// Whether it has not been found for some time.
    var isMissing: Bool { failures >= Self.patience }

    /// Takes an answer; an empty one is a failure, which changes nothing.
    mutating func learn(_ addresses: [IPAddress], at now: Duration) {
        guard !addresses.isEmpty else {
            failures += 1
            return
        }
        failures = 0
        seen = seen.filter { now - $0.value < Self.memory }
        for address in addresses.prefix(Self.most) { seen[address] = now }
        let surplus = seen.count - Self.most
        guard surplus > 0 else { return }
        for (address, _) in seen.sorted(by: { $0.value < $1.value }).prefix(surplus) {
            seen[address] = nil
        }
    }
}
