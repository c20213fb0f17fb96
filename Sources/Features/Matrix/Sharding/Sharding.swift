/// How the cells of a matrix are shared out.
public struct Sharding: Sendable, Hashable {
    /// The cells of each part, in their order; every part has the baseline for itself, since its
    /// machine may be another.
    public let parts: [[Cell]]

    /// Shares cells out so that the parts take equally long.
    ///
    /// - Parameter earlierSeconds: how long cells took, by profile; those that are not known count
    ///   as much as the others do on average.
    public init(_ cells: [Cell], into count: Int, earlierSeconds: [String: Double] = [:]) {
        let usual = earlierSeconds.isEmpty ? 1 : Array(earlierSeconds.values).mean
        let seconds = { (cell: Cell) in earlierSeconds[cell.profile] ?? usual }
        let baseline = cells.filter(\.isBaseline)
        // The longest first, each to the part that has least: at most a third more than possible.
        let order = cells.indices.filter { !cells[$0].isBaseline }
            .sorted { (seconds(cells[$0]), $1) > (seconds(cells[$1]), $0) }
        var loads = [Double](repeating: 0, count: count)
        var members = [[Int]](repeating: [], count: count)
        for index in order {
            let least = loads.indices.min { (loads[$0], $0) < (loads[$1], $1) } ?? 0
            loads[least] += seconds(cells[index])
            members[least].append(index)
        }
        parts = members.enumerated().map { number, indices in
            // A part without cells has nothing to compare, unless it is all there is.
            (indices.isEmpty && number > 0 ? [] : baseline) + indices.sorted().map { cells[$0] }
        }
    }
}

extension MatrixReport {
    /// How long cells took, on average, by profile; of those that came to their end.
    public var secondsByProfile: [String: Double] {
        var seconds: [String: [Double]] = [:]
        for cell in cells where cell.status != .notRun && cell.status != .error {
            seconds[cell.profile, default: []].append(cell.durationSeconds)
        }
        return seconds.mapValues(\.mean)
    }
}
