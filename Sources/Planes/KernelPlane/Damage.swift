import LinkModel
import TrafficControl

/// What others may have broken of the conditions in a slot.
struct Damage {
    /// The directions with an ifb.
    var directions: [FoundDirection]
    /// The groups of filters that are there.
    var groups: [FilterPlace: Set<FilterPlace.Group>]
    /// The ifbs that cannot be read any more.
    var unmarked: [UnmarkedIFB] = []

    /// What is wrong, and what to do; nil if nothing is.
    func problem(on link: ConditionedLink) -> String? {
        let found = Set(directions.map(\.mark.direction))
        let redirected = Set(groups.keys.map(\.direction))
        if let changed = unmarked.min(by: { $0.ifb.name < $1.ifb.name }) {
            return "another program changed the alias of \(changed.ifb.name), which says what the "
                + "conditions are; linkcond clear, then apply again"
        }
        if let ways = Self.words(redirected.subtracting(found)) {
            return "another program took the ifb of the way \(ways) away, so that all its packets "
                + "are lost; linkcond clear, then apply again"
        }
        if let ways = Self.words(directions.filter { !$0.isUp }.map(\.mark.direction)) {
            return "another program took the ifb of the way \(ways) down, so that all its packets "
                + "are lost; apply again with --replace"
        }
        if let ways = Self.words(found.subtracting(redirected)) {
            return "another program took the filters of the way \(ways) away, so that it is not "
                + "conditioned; apply again with --replace"
        }
        if let ways = Self.words(directions.filter(lacksFilters).map(\.mark.direction)) {
            return "another program took some filters of the way \(ways) away, so that not the "
                + "chosen packets are conditioned; apply again with --replace"
        }
        if directions.contains(where: { $0.mark.longestFrame < link.longestFrame }) {
            return "the interface's MTU was raised to \(link.mtu) after the conditions were "
                + "applied, so that longer packets than before are lost; apply again with --replace"
        }
        return nil
    }

    private func lacksFilters(_ found: FoundDirection) -> Bool {
        guard let selector = found.mark.selector else { return false }
        let place = found.mark.place
        return !(groups[place] ?? []).isSuperset(of: place.needed(by: selector))
    }

    /// `up`, `down and up`; nil if there are none.
    private static func words(_ ways: some Sequence<Direction>) -> String? {
        let words = ways.map(\.rawValue).sorted()
        return words.isEmpty ? nil : words.joined(separator: " and ")
    }
}
