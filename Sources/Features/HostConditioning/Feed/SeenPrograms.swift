/// The programs that are going on, and the last ones that have ended: what they wrote can be opened.
struct SeenPrograms {
    /// The most that have ended.
    static let mostEnded = 20

    /// Those that have ended come last.
    private(set) var all: [OngoingProgram] = []

    /// Takes those that are going on now.
    mutating func update(_ ongoing: [OngoingProgram]) {
        let pids = Set(ongoing.map(\.pid))
        let ended = all.filter { !pids.contains($0.pid) && ($0.isOver || $0.report != nil) }
            .map { program in
                var program = program
                program.isOver = true
                program.links = []
                return program
            }
        all = ongoing + ended.prefix(Self.mostEnded)
    }
}
