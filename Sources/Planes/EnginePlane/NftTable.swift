import DataPlane

/// An nftables table in parts, each of which refers only to parts before it.
///
/// The kernel takes a transaction in one go, during which nothing else runs on that processor, and
/// looks through all of it for each of its sets. With a hundred conditions a whole table takes it
/// most of a second, so a change consists only of the parts that differ.
struct NftTable: Hashable {
    /// A chain or a set.
    struct Part: Hashable {
        enum Kind: String {
            case chain, set
        }

        /// What distinguishes it from other parts of its table.
        struct ID: Hashable {
            var kind: Kind
            var name: String
        }

        let id: ID
        /// What its declaration has in braces; nil without them.
        let declaration: String?
        /// The rules of a chain, or the first elements of a set.
        let contents: [String]
        /// Of whose packets a set learns; what it has learnt of others is forgotten.
        let learnsOf: TrafficMatch?

        static func chain(_ name: String, hook: String? = nil, _ rules: [String]) -> Part {
            Part(
                id: ID(kind: .chain, name: name), declaration: hook, contents: rules, learnsOf: nil)
        }

        static func set(
            _ name: String, _ declaration: String, first: [String] = [],
            learnsOf: TrafficMatch? = nil
        ) -> Part {
            Part(
                id: ID(kind: .set, name: name), declaration: declaration, contents: first,
                learnsOf: learnsOf)
        }
    }

    /// Its family and its name.
    let name: String
    let parts: [Part]

    /// The commands that create it. It lives as long as the connection that sends them.
    var additions: [String] {
        ["add table \(name) { flags owner; }"] + parts.flatMap { [declare($0)] + fill($0) }
    }

    /// The command that deletes it.
    var deletion: String { "delete table \(name)" }

    /// The commands that make it of a former table of this name. Sets that are the same keep what
    /// they have learnt.
    func changes(from former: NftTable) -> [String] {
        let old = Dictionary(uniqueKeysWithValues: former.parts.map { ($0.id, $0) })
        let new = Dictionary(uniqueKeysWithValues: parts.map { ($0.id, $0) })
        func stays(_ id: Part.ID) -> Bool {
            guard let old = old[id], let new = new[id] else { return false }
            return old.declaration == new.declaration
        }
        let gone = former.parts.filter { !stays($0.id) }
        // Rules that stay may refer to it.
        if gone.contains(where: { $0.id.kind == .set && new[$0.id] != nil }) {
            return [deletion] + additions
        }
        // A chain that goes may refer to others that go.
        let emptied = former.parts.filter { part in
            stays(part.id) ? new[part.id] != part : part.id.kind == .chain
        }
        return emptied.map { "flush \($0.id.kind) \(name) \($0.id.name)" }
            + gone.reversed().map { "delete \($0.id.kind) \(name) \($0.id.name)" }
            + parts.flatMap { part in
                guard stays(part.id) else { return [declare(part)] + fill(part) }
                return old[part.id] == part ? [] : fill(part)
            }
    }

    private func declare(_ part: Part) -> String {
        (["add \(part.id.kind) \(name) \(part.id.name)"]
            + (part.declaration.map { ["{ \($0) }"] } ?? [])).joined(separator: " ")
    }

    private func fill(_ part: Part) -> [String] {
        part.contents.map { content in
            switch part.id.kind {
            case .chain: "add rule \(name) \(part.id.name) \(content)"
            case .set: "add element \(name) \(part.id.name) { \(content) }"
            }
        }
    }
}

extension [NftTable] {
    /// The commands that make these tables of former ones.
    func changes(from former: [NftTable]) -> [String] {
        let old = Dictionary(uniqueKeysWithValues: former.map { ($0.name, $0) })
        let names = Set(map(\.name))
        return former.filter { !names.contains($0.name) }.map(\.deletion)
            + flatMap { table in
                old[table.name].map(table.changes) ?? table.additions
            }
    }
}
