public import Catalog
import LinkModel

extension ProfileCatalog {
    /// The `entries` that belong to a family.
    public static func entries(
        of family: String, among entries: [ProfileCatalog.Entry]
    ) throws(UsageError) -> [ProfileCatalog.Entry] {
        let wanted = NameMatching.normalized(family)
        let matches = entries.filter { $0.profile.family == wanted }
        guard matches.isEmpty else { return matches }
        let families = Set(entries.map(\.profile.family)).sorted()
        let remedy =
            NameMatching.suggestion(for: family, among: families).map { "did you mean \($0)?" }
            ?? "there are \(families.joined(separator: ", "))"
        throw UsageError(description: "\(family): no such family; \(remedy)")
    }
}

extension ProfileCatalog.Clash: CustomStringConvertible {
    /// Which profile a name refers to, and what to write for the other.
    public var description: String {
        let file = entry.file ?? entry.profile.id
        let place = other.file ?? "built in"
        return "\(file): the name \(name) also belongs to \(other.profile.id) (\(place)); write "
            + "\(remedy) for this one"
    }
}
