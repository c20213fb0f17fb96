import DataPlane
import Netlink

/// The alias of an engine's veth pair, from which any later process recognises it.
struct RedirectMark: Hashable {
    /// The index of the interface whose packets it carries.
    var target: Int32
    /// When the interface was conditioned, in seconds since 1970.
    var since: Int64
    /// The name that distinguishes its conditions from others of the interface.
    var name: String
    /// The name of the profile.
    var profile: String
    /// When the conditions end automatically, and which watcher ends them.
    var limit: TimeLimit?
    /// Why the engine that conditioned it has ended, if known.
    var end: EngineEnd?

    /// Differs from that of the kernel data plane, which must not take the veth pair for its own.
    private static let prefix = "linkcond-engine/2"
}

extension RedirectMark {
    /// The mark of a request on an interface.
    init(_ request: ApplyRequest, on target: Int32) {
        self.init(
            target: target, since: request.now, name: request.name, profile: request.profile,
            limit: request.limit)
    }

    /// The alias.
    var alias: String {
        let words =
            [Self.prefix, "of=\(target)", "since=\(since)", "name=\(name)"]
            + (limit?.words ?? []) + (end.map { ["ended=\($0.rawValue)"] } ?? [])
        return MarkText.alias(words, profile: profile)
    }

    /// The mark of the near end of a veth pair; nil for any other interface.
    init?(_ link: Link) {
        if link.kind == "veth", let mark = RedirectMark(alias: link.alias) {
            // Somebody may have changed the name or the group.
            self = mark
        } else if let target = Redirect.target(ofNearEnd: link) {
            // Somebody has changed the alias.
            self.init(target: target, since: 0, name: Self.unknown, profile: Self.unknown)
        } else {
            return nil
        }
    }

    /// Stands for a name that the alias does not contain.
    static let unknown = "unknown"

    /// Parses an alias; nil if it is no such mark.
    init?(alias: String) {
        guard let text = MarkText(alias: alias, prefix: Self.prefix), text.words.isEmpty,
            let target = text.values["of"].flatMap({ Int32($0) }),
            let since = text.values["since"].flatMap({ Int64($0) }), let name = text.name
        else { return nil }
        self.init(
            target: target, since: since, name: name, profile: text.profile,
            limit: TimeLimit(words: text.values))
        end = text.values["ended"].flatMap(EngineEnd.init)
    }
}
