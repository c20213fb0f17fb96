import Netlink
import NetworkPath

/// A change of one interface's alias.
struct AliasEdit: Hashable {
    let index: Int32
    let name: String
    let before: [UInt8]
    let alias: [UInt8]
    let mark: NetworkMark

    /// Puts `mark` into the alias and keeps all other text.
    init(_ link: Link, mark: NetworkMark) throws(OverrideError) {
        guard let alias = mark.written(into: link.aliasBytes) else {
            throw .aliasFull(
                link.name, foreignBytes: NetworkMark.foreignText(of: link.aliasBytes).count)
        }
        (index, name, before) = (link.index, link.name, link.aliasBytes)
        (self.alias, self.mark) = (alias, mark)
    }

    /// Changes the alias's present mark.
    init(_ link: Link, _ change: (inout NetworkMark) -> Void) throws(OverrideError) {
        var mark = NetworkMark(alias: link.aliasBytes) ?? NetworkMark()
        change(&mark)
        try self.init(link, mark: mark)
    }

    private init(index: Int32, name: String, before: [UInt8], alias: [UInt8]) {
        (self.index, self.name, self.before, self.alias) = (index, name, before, alias)
        mark = NetworkMark(alias: alias) ?? NetworkMark()
    }

    /// Whether there is anything to write.
    var isChange: Bool { alias != before }

    /// Whether the interface was the preferred one.
    var wasPreferred: Bool { NetworkMark(alias: before)?.isPreferred == true }

    /// The edit that reverts this one.
    var undone: AliasEdit { AliasEdit(index: index, name: name, before: alias, alias: before) }

    /// Whether the interface has the new alias, or is gone.
    func stands(among links: [Link]) -> Bool {
        guard let link = links.first(where: { $0.index == index }) else { return true }
        return (NetworkMark(alias: link.aliasBytes) ?? NetworkMark()) == mark
    }
}
