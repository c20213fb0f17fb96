public import SystemPackage

/// Starts cells. What a cell's network is made of is not the matrix's business.
public protocol CellLauncher {
    /// Starts a process that runs an attempt, dies with this one, and ends its command when it
    /// gets `SIGTERM`.
    func start(_ attempt: CellAttempt) throws -> CellProcess

    /// The conditions of a cell, for people.
    func conditions(of cell: Cell) -> ConditionSummary
}

/// An attempt at a cell, to be started.
public struct CellAttempt: Sendable, Hashable {
    /// The cell.
    public let cell: Cell
    /// Decides the fate of the packets; nil where the kernel rolls the dice.
    public let seed: UInt64?
    /// Variables of the command's environment, beside the caller's.
    public let variables: [String: String]
}

/// A process that runs an attempt at a cell.
public struct CellProcess: Sendable {
    /// Its ID; it is a child of this process.
    public let process: Int32
    /// Where what the command prints comes out.
    public let output: FileDescriptor
    /// Where a `CellOutcome` as JSON comes out.
    public let outcome: FileDescriptor

    /// Describes a process.
    public init(process: Int32, output: FileDescriptor, outcome: FileDescriptor) {
        self.process = process
        self.output = output
        self.outcome = outcome
    }
}
