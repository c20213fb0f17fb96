/// Long paths: their old part is summed up, so that they take bounded memory.
extension CriticalPath {
    /// Of more owners in one section only the sums are kept.
    private static let mostParts = 16

    /// Sums up the old part, so that at most about `count` sections are left.
    ///
    /// The newer half stays as it is. Before it, neighbours become one section, each about as long as
    /// the others. That happens in place, since other paths share the old part; whoever holds a
    /// section still finds the same waits before it.
    func sumUp(to count: Int) {
        let sections = Array(sectionsFromEnd)
        guard sections.count > count, count >= 2 else { return }
        let old = sections[(count / 2)...].reversed()
        guard let first = old.first, let last = old.last else { return }
        let length = (last.end - first.start) / (count / 2)
        var group: [Section] = []
        var groupStart = first.start
        for section in old {
            group.append(section)
            guard section.end - groupStart >= length || section === last else { continue }
            Self.merge(group)
            groupStart = section.end
            group = []
        }
    }

    /// Makes the last of these sections stand for all.
    private static func merge(_ group: [Section]) {
        guard group.count > 1, let first = group.first, let last = group.last else { return }
        var parts = sums(
            group.flatMap { section in
                section.parts ?? [Part(owner: section.owner, waits: section.waits)]
            })
        if parts.count > mostParts {
            // Of each connection, without its requests.
            parts = sums(
                parts.map { part in
                    Part(owner: Owner(connection: part.owner.connection), waits: part.waits)
                })
        }
        var waits: [Wait] = []
        for section in group { add(section.waits, to: &waits) }
        last.absorb(from: first, waits, parts: parts.count > mostParts ? [] : parts)
    }

    private static func sums(_ parts: [Part]) -> [Part] {
        var sums: [Part] = []
        var indexes: [Owner: Int] = [:]
        for part in parts {
            if let index = indexes[part.owner] {
                add(part.waits, to: &sums[index].waits)
            } else {
                indexes[part.owner] = sums.count
                sums.append(part)
            }
        }
        return sums
    }

    private static func add(_ waits: [Wait], to sums: inout [Wait]) {
        for wait in waits {
            if let index = sums.firstIndex(where: { $0.kind == wait.kind }) {
                sums[index].length += wait.length
            } else {
                sums.append(wait)
            }
        }
    }
}
