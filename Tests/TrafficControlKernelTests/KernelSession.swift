import LinkTesting
import LinkUnits
import Netlink
import SystemPackage
import Testing

@testable import TrafficControl

/// A session in the thread's namespace and what tests do with it again and again.
struct KernelSession {
    let session: NetlinkSession

    static let loopback = Interface(index: 1, name: "lo")
    static let handle = QdiscHandle(major: 0x1c0d)

    init() throws {
        session = try NetlinkSession()
    }

    func execute(_ message: NetlinkMessage) throws {
        try session.execute(message, attempt: "do what the test wants")
    }

    /// A qdisc on the loopback interface.
    static func qdisc(
        _ kind: Qdisc.Kind, handle: QdiscHandle = handle, parent: QdiscHandle = .root
    ) -> Qdisc {
        Qdisc(interface: loopback, handle: handle, parent: parent, kind: kind)
    }

    /// What the kernel tells of a qdisc of the loopback interface.
    func state(_ handle: QdiscHandle = handle) throws -> QdiscState? {
        try session.dump(Qdisc.list(), attempt: "list the qdiscs").compactMap(QdiscState.init)
            .first { $0.interfaceIndex == 1 && $0.handle == handle }
    }

    func statistics(_ handle: QdiscHandle = handle) throws -> TrafficStatistics {
        try #require(try state(handle)).statistics
    }

    func filters(
        _ parent: QdiscHandle, of interface: Interface = loopback
    ) throws -> [FilterState] {
        try session.dump(
            Filter.list(interface: interface.index, parent: parent), attempt: "list the filters"
        ).compactMap(FilterState.init)
    }

    /// Runs `body` with a session in a namespace of its own.
    static func run(_ body: @Sendable (KernelSession) throws -> Void) async throws {
        try await withNewNamespace { try body(KernelSession()) }
    }

    /// The same with a loopback interface that is up.
    static func runWithTraffic(
        _ body: @Sendable (KernelSession, LoopbackTraffic) throws -> Void
    ) async throws {
        try await withNewNamespace {
            let bed = try KernelSession()
            try bed.execute(Link.bringUp(index: 1, alias: ""))
            try body(bed, LoopbackTraffic())
        }
    }
}
