public import LinkModel

/// A cell that a matrix has to run, on this machine or another.
public struct PlannedCell: Codable, Sendable, Hashable {
    /// Its unique name, such as `LTE` or `LTE/2`.
    public var id: String
    /// The seed of its first attempt; nil if the kernel draws the random numbers.
    @OrNull public var seed: UInt64?

    /// Plans a cell.
    public init(_ cell: Cell) {
        id = cell.id
        _seed = OrNull(wrappedValue: cell.seed)
    }
}

extension MatrixReport {
    /// All cells that the matrix has to run, in order; those of its specification in reports of
    /// versions that did not write them down.
    var plannedCells: [Cell] {
        planned.map(specification.cells) ?? specification.cells
    }
}

extension MatrixSpecification {
    /// The planned ones of its cells, in order, with their seeds.
    func cells(_ planned: [PlannedCell]) -> [Cell] {
        let seeds = Dictionary(
            planned.map { ($0.id, $0.seed) }, uniquingKeysWith: { first, _ in first })
        return cells.compactMap { cell in
            guard let seed = seeds[cell.id] else { return nil }
            var cell = cell
            cell.seed = seed
            return cell
        }
    }
}
