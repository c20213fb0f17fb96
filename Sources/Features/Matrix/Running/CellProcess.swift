public import SystemPackage

/// Starts cells. The matrix does not know how a cell's network is built.
public protocol CellLauncher {
    /// Starts a process that runs an attempt, dies with this process, and ends its command on
    /// `SIGTERM`.
    func start(_ attempt: CellAttempt) throws -> CellProcess

    /// The conditions of a cell, for people.
    func conditions(of cell: Cell) -> ConditionSummary

    /// How long a cell may take in comparison with others.
    func expectedSeconds(of cell: Cell) -> Double
}

/// An attempt at a cell, to be started.
public struct CellAttempt: Sendable, Hashable {
    /// The cell.
    public let cell: Cell
    /// The seed; nil if the kernel draws the random numbers.
    public let seed: UInt64?
    /// Environment variables of the command, in addition to the caller's.
    public let variables: [String: String]

    /// Describes an attempt.
    public init(cell: Cell, seed: UInt64?, variables: [String: String]) {
        self.cell = cell
        self.seed = seed
        self.variables = variables
    }
}

/// A process that runs an attempt at a cell.
public struct CellProcess: Sendable {
    /// The process ID; it is a child of this process.
    public let process: Int32
    /// A pipe with the command's output.
    public let output: FileDescriptor
    /// A pipe with the `CellOutcome` as JSON.
    public let outcome: FileDescriptor

    /// Describes a process.
    public init(process: Int32, output: FileDescriptor, outcome: FileDescriptor) {
        self.process = process
        self.output = output
        self.outcome = outcome
    }
}
