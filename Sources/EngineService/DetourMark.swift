import Netlink

/// What the alias of a wire says that the engine has made, so that any later process recognises it
/// from the kernel alone.
struct DetourMark: Hashable {
    /// The index of the interface whose packets it carries.
    var target: Int32
    /// When that was conditioned, in seconds since 1970.
    var since: Int64
    /// The name that tells its conditions from others of the interface.
    var name: String
    /// The name of the profile.
    var profile: String
    /// When the conditions end by themselves, and who sees to that.
    var limit: EngineLimit?
    /// Why the engine that conditioned it has ended, if that is known.
    var end: EngineEnd?

    /// Another word than the kernel's data plane has, which must not take it for its own.
    private static let prefix = "linkcond-engine/2"
    /// The kernel takes 256 bytes, of which the zero at the end is one.
    private static let longest = 254
    /// No name was ever longer; what was would leave no room for what stands behind it.
    private static let longestName = 64

    init(
        target: Int32, since: Int64, name: String, profile: String, limit: EngineLimit? = nil
    ) {
        self.target = target
        self.since = since
        self.name = name
        self.profile = profile
        self.limit = limit
    }

    /// What a request makes of an interface.
    init(_ request: EngineRequest, on target: Int32) {
        self.init(
            target: target, since: request.now, name: request.name, profile: request.profile,
            limit: request.limit)
    }

    /// The alias. The profile comes last because it may hold blanks.
    var alias: String {
        var words = [Self.prefix, "of=\(target)", "since=\(since)", "name=\(name)"]
        if let limit {
            words += limit.until.map { ["until=\($0)"] } ?? []
            words += limit.process.map { ["exit=\($0)"] } ?? []
            words.append("watch=\(limit.watcher)")
        }
        if let end { words.append("ended=\(end.rawValue)") }
        let beginning = words.joined(separator: " ") + " profile="
        let room = max(0, Self.longest - beginning.utf8.count)
        // A character has at least a byte; what is cut off is whole characters.
        var profile = profile.prefix(room)
        while profile.utf8.count > room { profile.removeLast() }
        return beginning + profile
    }

    /// What is known of the near end of a wire; nil for any other interface.
    init?(_ link: Link) {
        guard let target = Detour.target(ofNearEnd: link) else { return nil }
        if let mark = DetourMark(alias: link.alias) {
            self = mark
        } else {
            // Somebody has changed the alias.
            self.init(target: target, since: 0, name: Self.unknown, profile: Self.unknown)
        }
    }

    /// Where a wire does not say it.
    static let unknown = "unknown"

    /// Reads an alias; nil if it is not one of these.
    init?(alias: String) {
        guard alias.hasPrefix(Self.prefix + " "), let split = alias.firstRange(of: " profile=")
        else {
            return nil
        }
        var values: [Substring: Substring] = [:]
        for word in alias[..<split.lowerBound].split(separator: " ").dropFirst() {
            let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2 else { return nil }
            values[parts[0]] = parts[1]
        }
        guard let target = values["of"].flatMap({ Int32($0) }),
            let since = values["since"].flatMap({ Int64($0) }), let name = values["name"],
            name.utf8.count <= Self.longestName
        else { return nil }
        self.init(
            target: target, since: since, name: String(name),
            profile: String(alias[split.upperBound...]))
        end = values["ended"].flatMap { EngineEnd(rawValue: String($0)) }
        // Anybody may have written it; the name becomes one of a file.
        if let watcher = values["watch"], watcher.utf8.count <= Self.longestName,
            watcher.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber) })
        {
            limit = EngineLimit(
                until: values["until"].flatMap { Int64($0) },
                process: values["exit"].flatMap { Int32($0) }, watcher: String(watcher))
        }
    }
}
