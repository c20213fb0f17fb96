public import Netlink

/// Why the requested interfaces cannot be determined.
public enum InterfaceError: Error, Sendable, CustomStringConvertible {
    case noSuchInterface(String, known: [String])
    case noDefaultRoute
    case noInterfaces
    case redirectionTarget(String)
    case netlink(NetlinkError)

    /// One sentence: what failed, and what to do.
    public var description: String {
        switch self {
        case .noSuchInterface(let name, let known):
            "\(name): no such interface (have: \(known.joined(separator: ", ")))"
        case .noDefaultRoute:
            "no interface carries a default route; name one with -i"
        case .noInterfaces:
            "no interface but loopback is up; bring one up, or name one with -i"
        case .redirectionTarget(let name):
            "\(name): only carries what other interfaces redirect to it, and cannot be conditioned; "
                + "name the interface whose packets those are"
        case .netlink(let error): error.description
        }
    }
}

/// The interfaces of the calling thread's network namespace, as requests name them.
public struct HostLinks {
    private let session: NetlinkSession

    /// Uses an existing session.
    public init(_ session: NetlinkSession) {
        self.session = session
    }

    /// Opens its own session.
    public init() throws(InterfaceError) {
        do { session = try NetlinkSession() } catch { throw .netlink(error) }
    }

    /// The interfaces of a request, without duplicates.
    public func links(of request: ApplyRequest) throws(InterfaceError) -> [Link] {
        guard request.isForAllInterfaces else {
            return request.interfaces.isEmpty
                ? try withDefaultRoute() : try conditionable(request.interfaces)
        }
        let found = try all().filter {
            $0.isUp && !$0.isLoopback && !$0.isOwn && !$0.isRedirectionTarget
        }
        let named = try conditionable(request.interfaces)
        guard !(found + named).isEmpty else { throw .noInterfaces }
        return found + named.filter { link in !found.contains { $0.index == link.index } }
    }

    private func conditionable(_ names: [String]) throws(InterfaceError) -> [Link] {
        let links = try links(named: names)
        if let link = links.first(where: { $0.isRedirectionTarget && !$0.isOwn }) {
            throw .redirectionTarget(link.name)
        }
        return links
    }

    /// The interfaces with these names, without duplicates.
    public func links(named names: [String]) throws(InterfaceError) -> [Link] {
        var links: [Link] = []
        for name in names {
            guard let link = try link(named: name) else {
                throw .noSuchInterface(name, known: try all().filter { !$0.isOwn }.map(\.name))
            }
            if !links.contains(where: { $0.index == link.index }) { links.append(link) }
        }
        return links
    }

    /// All interfaces that carry default routes of IPv4 or IPv6; at least one.
    public func withDefaultRoute() throws(InterfaceError) -> [Link] {
        do {
            let messages = try session.defaultRouteInterfaces().map { Link.get(index: $0) }
            let links = try session.get(messages).compactMap { $0.flatMap(Link.init) }
            guard !links.isEmpty else { throw InterfaceError.noDefaultRoute }
            return links
        } catch let error as NetlinkError {
            throw .netlink(error)
        } catch {
            throw .noDefaultRoute
        }
    }

    private func link(named name: String) throws(InterfaceError) -> Link? {
        do { return try session.link(named: name) } catch { throw .netlink(error) }
    }

    private func all() throws(InterfaceError) -> [Link] {
        do { return try session.links() } catch { throw .netlink(error) }
    }
}

extension Link {
    /// Whether the kernel drops whatever is sent by it and was not redirected to it.
    fileprivate var isRedirectionTarget: Bool { kind == "ifb" }
}
