/// The programs that are going on, and the last ones that have ended: what they wrote can be opened.
struct SeenPrograms {
    /// The most that have ended.
    static let mostEnded = 20

    /// Those that have ended come last, from the newest.
    private(set) var all: [OngoingProgram] = []

    /// Takes those that are going on now, and those whose pages are known from `WrittenReports`, from
    /// the newest.
    mutating func update(_ ongoing: [OngoingProgram], written: [OngoingProgram] = []) {
        var pids = Set(ongoing.map(\.pid))
        var pages: Set<String?> = [nil]
        // A page that several have written is that of the last one.
        let ended = (written + all).filter {
            pids.insert($0.pid).inserted && pages.insert($0.report).inserted
        }.map { program in
            var program = program
            program.isOver = true
            program.links = []
            return program
        }
        all = ongoing + ended.prefix(Self.mostEnded)
    }
}
