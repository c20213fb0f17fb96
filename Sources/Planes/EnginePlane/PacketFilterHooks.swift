import LinuxKernel
import SystemPackage

/// Hooks made of nftables tables, one for each interface.
///
/// The tables belong to a connection to nftables and end with it. If the engine hangs and nobody
/// ends the connection, they let packets pass by themselves (`HookTable+Gate`).
final class PacketFilterHooks: Hooks {
    private let tables: PacketFilterTables
    private var installed: [Int32: HookTable] = [:]
    /// Of whose packets the tables ask.
    private var programs: (marks: OwnerMarks, owners: SocketOwners?) = (OwnerMarks([]), nil)
    private var nextLook = Duration.zero
    private let beacons: BeaconGate
    private var hasGivenUp = false
    /// An nft that is installed but does not work is given up for the other kind of hooks.
    private static let trialPatience = Duration.seconds(5)

    var gate: any Gate { beacons }

    /// Connects to nftables in the calling thread's network namespace, and tests the required
    /// features there.
    init() throws(EngineError) {
        tables = try Self.connect()
        do {
            beacons = try BeaconGate()
        } catch {
            throw EngineError("\(error)")
        }
    }

    /// Tests the required features in the calling thread's network namespace.
    static func test() throws(EngineError) { _ = try connect() }

    private static func connect() throws(EngineError) -> PacketFilterTables {
        let tables: PacketFilterTables?
        do {
            tables = try PacketFilterTables.open()
        } catch {
            throw EngineError("\(error)")
        }
        guard let tables else { throw .noProgram }
        do {
            try tables.run(HookTable.trial, within: trialPatience)
        } catch {
            throw Self.error(error)
        }
        return tables
    }

    func change(to tables: [Int32: HookTable?], isForced: Bool) throws(EngineError) {
        let changed = tables.filter { installed[$0.key] != $0.value }
        guard !changed.isEmpty else { return }
        if !isForced {
            for case (let index, let table?) in changed {
                let known = installed[index]?.chained ?? []
                try ForeignChains.refuse(
                    at: table.target, table.chained.subtracting(known),
                    before: HookTable.priority)
            }
        }
        var next = installed
        for (index, table) in changed { next[index] = table }
        let marks = OwnerMarks(next.values)
        let owners = marks == programs.marks ? programs.owners : try marks.begin()
        let changes = changed.sorted { $0.key < $1.key }.map { index, table in
            Change(former: installed[index]?.tables ?? [], new: table?.tables ?? [])
        }
        do {
            try carryOut(changes)
        } catch {
            // Without a reply the change may have been made. Ending all hooks ensures that it has
            // no effect.
            if error.isSilence { end() }
            if error.isUnsupported, changed.contains(where: { $0.value?.choosesOwners == true }) {
                throw .noOwnerChains(error.message)
            }
            throw Self.error(error)
        }
        installed = next
        programs = (marks, owners)
        beacons.point(at: installed.values.compactMap(\.beaconEnd))
    }

    /// What changes for one interface.
    private struct Change {
        let former: [NftTable]
        let new: [NftTable]

        var reversed: Change { Change(former: new, new: former) }
    }

    /// How many interfaces change in one transaction, during which nothing else runs on that
    /// processor. The time that it takes grows with the square of what changes.
    private static let portion = 8

    /// Changes all interfaces, or none.
    private func carryOut(_ changes: [Change]) throws(PacketFilterTables.Refusal) {
        for start in stride(from: 0, to: changes.count, by: Self.portion) {
            do {
                try carryOutAtOnce(changes[start...].prefix(Self.portion))
            } catch {
                if !error.isSilence { takeBack(changes[..<start]) }
                throw error
            }
        }
    }

    private func takeBack(_ changes: ArraySlice<Change>) {
        do {
            for start in stride(from: 0, to: changes.count, by: Self.portion) {
                try carryOutAtOnce(changes[start...].prefix(Self.portion).map(\.reversed))
            }
        } catch {
            // What is not known must not redirect packets.
            end()
        }
    }

    /// Changes what differs, or all of it: with its interface the kernel may have removed a chain.
    private func carryOutAtOnce(
        _ changes: some Collection<Change>
    ) throws(PacketFilterTables.Refusal) {
        do {
            try run(changes.flatMap { $0.new.changes(from: $0.former) })
        } catch {
            let former = changes.flatMap(\.former)
            guard !error.isSilence, !former.isEmpty else { throw error }
            try run(former.map(\.deletion) + changes.flatMap(\.new).flatMap(\.additions))
        }
    }

    /// Carries out commands. A table of the same name may belong to the nft process of an engine
    /// that was just killed, and goes away with that.
    private func run(_ commands: [String]) throws(PacketFilterTables.Refusal) {
        let text = commands.joined(separator: "\n")
        for _ in 0..<Self.attempts {
            do {
                return try tables.run(text)
            } catch {
                guard error.message.contains("Operation not permitted") else { throw error }
            }
            _ = Readiness.wait(for: [], timeout: Self.pause)
        }
        try tables.run(text)
    }

    private static let attempts = 20
    private static let pause = Duration.milliseconds(50)

    private static func error(_ refusal: PacketFilterTables.Refusal) -> EngineError {
        if refusal.isUnsupported { return .noHook(refusal.message) }
        if refusal.isSilence { return .silentProgram(refusal.message) }
        return EngineError("nftables refuses what the packet engine needs: \(refusal.message)")
    }

    func end() {
        tables.end()
        hasGivenUp = true
        programs = (OwnerMarks([]), nil)
    }

    /// The kernel lets nobody else change the tables.
    func isBroken(at index: Int32) -> Bool { false }

    func findOpenSockets() {
        let beginning = KernelClock.monotonic
        guard let owners = programs.owners, beginning >= nextLook else { return }
        owners.findOpenSockets()
        let now = KernelClock.monotonic
        nextLook = now + max(Self.lookInterval, (now - beginning) * 20)
    }

    /// How often to look for sockets that programs got from others. New ones of their own are
    /// recognised at once. With many processes a look takes long, and is taken less often.
    private static let lookInterval = Duration.seconds(5)

    var descriptor: FileDescriptor? { tables.descriptor }
    var hasEnded: Bool {
        hasGivenUp
            || !Readiness.wait(for: [tables.descriptor], timeout: .zero).isEmpty && tables.hasEnded
    }
    var process: Int32? { tables.processID }
}
