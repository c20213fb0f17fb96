/// How the cells of a matrix are divided into parts.
public struct Sharding: Sendable, Hashable {
    /// The cells of each part, in order; every part has its own baseline, since its machine may
    /// differ.
    public let parts: [[Cell]]

    /// Divides cells so that the parts take equally long.
    ///
    /// - Parameter earlierSeconds: How long cells took, by profile; unknown ones count as the
    ///   average.
    public init(_ cells: [Cell], into count: Int, earlierSeconds: [String: Double] = [:]) {
        let usual = earlierSeconds.isEmpty ? 1 : Array(earlierSeconds.values).mean
        let seconds = { (cell: Cell) in earlierSeconds[cell.profile] ?? usual }
        let baseline = cells.filter(\.isBaseline)
        // Longest first, each to the part with the least: at most a third above the optimum.
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
            // A part without other cells needs no baseline, unless it is the only part.
            (indices.isEmpty && number > 0 ? [] : baseline) + indices.sorted().map { cells[$0] }
        }
    }
}

extension MatrixReport {
    /// The mean time of cells by profile, counting those that ran to their end.
    public var secondsByProfile: [String: Double] {
        var seconds: [String: [Double]] = [:]
        for cell in cells where cell.hasRun && cell.status != .error {
            seconds[cell.profile, default: []].append(cell.durationSeconds)
        }
        return seconds.mapValues(\.mean)
    }
}
