import LinkModel
import LinuxKernel
import Netlink
import NetworkPath
import SystemPackage

/// Reads, changes and verifies the marks of a network namespace, in a thread with the privilege.
struct OverrideEditor {
    private let session: NetlinkSession
    private let routes: PreferredRoutes

    /// The most retries after concurrent writes.
    private static let attempts = 10
    /// The link group of interfaces that linkcond makes for itself.
    private static let ownGroup: UInt32 = 7181

    /// Works in the calling thread's network namespace.
    init() throws(OverrideError) {
        do {
            session = try NetlinkSession()
        } catch {
            throw .refused(error)
        }
        routes = PreferredRoutes(session: session)
    }

    /// Returns the names of the interfaces that now have an override, or had one before.
    func perform(_ request: OverrideRequest) throws(OverrideError) -> [String] {
        // Where there is no place for a lock, as in a sandbox, concurrent writes are still detected.
        guard let directory = try? StateDirectory() else { return try performAlone(request) }
        let lock: FileLock
        do {
            lock = try directory.lock("override.lock")
        } catch {
            throw .kernel(error)
        }
        return try lock.whileHeld { () throws(OverrideError) in try performAlone(request) }
    }

    private func performAlone(_ request: OverrideRequest) throws(OverrideError) -> [String] {
        try OverrideError.wrapping { () throws in try write(request) }
    }

    private func write(_ request: OverrideRequest) throws -> [String] {
        for _ in 0..<Self.attempts {
            let links = try session.links()
            let plan = try plan(request, links)
            try write(plan.filter(\.isChange))
            do {
                try prefer(request, plan)
            } catch {
                try? write(plan.filter(\.isChange).map(\.undone))
                throw error
            }
            let after = try session.links()
            if plan.allSatisfy({ $0.stands(among: after) }) { return plan.map(\.name) }
        }
        let names = try plan(request, session.links()).map(\.name)
        throw OverrideError.contested(names.joined(separator: ", "))
    }

    private func plan(_ request: OverrideRequest, _ links: [Link]) throws -> [AliasEdit] {
        switch request {
        case .set(let change, let ends, let watcher, let names):
            let targets = try names.isEmpty ? [defaultLink(links)] : find(names, links)
            guard change.isPreferred != true || targets.count == 1 else {
                throw OverrideError.severalPreferred(targets.map(\.name))
            }
            let others =
                change.isPreferred == true
                ? links.filter { link in
                    link.index != targets[0].index
                        && NetworkMark(alias: link.aliasBytes)?.isPreferred == true
                } : []
            return try targets.map { link in
                try AliasEdit(link) {
                    $0 = $0.overridden(by: change)
                    ($0.ends, $0.watcher) = (ends, watcher)
                }
            } + others.map { try AliasEdit($0) { $0.isPreferred = false } }
        case .clear(let names):
            return try (names.map { try find($0, links) } ?? links)
                .filter { NetworkMark(alias: $0.aliasBytes) != nil }
                .map { try AliasEdit($0, mark: NetworkMark()) }
        case .clearEndedBy(let watcher):
            return try links.filter { NetworkMark(alias: $0.aliasBytes)?.watcher == watcher }
                .map { try AliasEdit($0, mark: NetworkMark()) }
        }
    }

    private func find(_ names: [String], _ links: [Link]) throws -> [Link] {
        var found: [Link] = []
        for name in names where !found.contains(where: { $0.name == name }) {
            // It may be an alternative name.
            let index = try session.link(named: name)?.index
            guard let link = links.first(where: { $0.index == index }) else {
                let known = links.filter { $0.group != Self.ownGroup }.map(\.name)
                throw OverrideError.noSuchInterface(name, known: known)
            }
            guard link.group != Self.ownGroup else { throw OverrideError.ownInterface(name) }
            if !found.contains(link) { found.append(link) }
        }
        return found
    }

    private func defaultLink(_ links: [Link]) throws -> Link {
        // The interface that apps use, which an existing preference may determine.
        let first = try NetworkPath.current().availableInterfaces.first
        guard let link = links.first(where: { $0.index == first?.index }) else {
            throw OverrideError.noDefaultRoute
        }
        return link
    }

    private func write(_ edits: [AliasEdit]) throws {
        let failures = try session.execute(
            edits.map { Link.setAlias(index: $0.index, bytes: $0.alias) })
        // A vanished interface has no override any more; the next read will miss it.
        let serious = failures.first { $0.errno != .operationNotSupportedByDevice }
        guard let failure = serious else { return }
        let refused = Set(failures.map(\.index))
        let written = edits.enumerated().filter { !refused.contains($0.offset) }
        _ = try session.execute(
            written.map { Link.setAlias(index: $0.element.index, bytes: $0.element.before) })
        throw NetlinkError(
            attempt: "write the override of \(edits[failure.index].name)", errno: failure.errno,
            kernelText: failure.kernelText)
    }

    /// Changes the routes so that the plan's preferred interface is preferred.
    private func prefer(_ request: OverrideRequest, _ plan: [AliasEdit]) throws {
        for edit in plan where edit.wasPreferred && !edit.mark.isPreferred {
            try routes.remove(from: edit.index)
        }
        guard case .set(let change, _, _, _) = request, change.isPreferred == true else { return }
        for edit in plan where edit.mark.isPreferred {
            try routes.add(to: edit.index, name: edit.name)
        }
    }
}

extension OverrideError {
    /// Runs `body` and converts errors of Netlink.
    static func wrapping<Value>(_ body: () throws -> Value) throws(OverrideError) -> Value {
        do {
            return try body()
        } catch let error as OverrideError {
            throw error
        } catch let error as NetlinkError {
            throw error.errno == .notPermitted
                ? .missingPrivilege("changing an override") : .refused(error)
        } catch let error as NetworkPathError {
            guard case .unreadable(let cause) = error else { throw .noDefaultRoute }
            throw .refused(cause)
        } catch {
            throw .refusedBySandbox("\(error)")
        }
    }
}
