import FoundationEssentials
import Glibc
import LinkModel
import LinuxKernel
import Matrix
import Recording
import SystemPackage

/// Shows the progress of a matrix on standard error: a live table on a terminal, else a line for
/// each cell.
final class MatrixView: MatrixListener {
    private let console: Console
    private let isTerminal: Bool
    private var drawnLines = 0
    private var lastDrawn = ContinuousClock.now - .seconds(1)

    /// Faster updates would be unreadable.
    private static let interval = Duration.milliseconds(100)

    init(_ console: Console) {
        self.console = console
        let terminal = ProcessInfo.processInfo.environment["TERM"] ?? "dumb"
        isTerminal =
            isatty(STDERR_FILENO) == 1 && terminal != "dumb" && console.verbosity != .quiet
    }

    func ended(_ cell: CellReport, lastLines: String, isLast: Bool, done: Int, of count: Int) {
        erase()
        let flaky = cell.isFlaky ? " (flaky)" : ""
        let problem = cell.problem.map { ": \($0)" } ?? ""
        console.report(
            "[\(done)/\(count)] \(cell.id) \(cell.status.rawValue)\(flaky), "
                + "\(cell.durationSeconds.secondsText)\(problem)\(isLast ? "" : "; once more")")
        for note in cell.notes where isLast { console.explain("  \(note)") }
        if isLast, cell.isFailure, !lastLines.isEmpty, console.verbosity != .quiet {
            for line in lastLines.split(whereSeparator: \.isNewline) {
                console.report("  | \(line)")
            }
        }
        if isLast, cell.isFailure {
            // A word may contain line breaks, which a shell accepts unchanged.
            let lines = "  again: \(ShellWord.line(cell.reproduce))"
                .split(separator: "\n", omittingEmptySubsequences: false)
            for line in lines { console.report(String(line)) }
        }
        lastDrawn = .now - .seconds(1)
    }

    func interrupted() {
        erase()
        console.report("Ending the cells that run; Ctrl-C once more does not wait for them.")
    }

    func progress(_ progress: () -> MatrixProgress) {
        guard isTerminal, ContinuousClock.now - lastDrawn >= Self.interval else { return }
        erase()
        let size = TerminalSize.current(of: .standardError)
        let text = ProgressText.table(
            progress(), rows: (size?.rows ?? 24) - 1, columns: size?.columns ?? 80)
        drawnLines = text.count { $0 == "\n" }
        write(text)
        lastDrawn = .now
    }

    /// Removes the table, so that lines can follow.
    func erase() {
        guard drawnLines > 0 else { return }
        write("\u{1b}[\(drawnLines)A\r\u{1b}[J")
        drawnLines = 0
    }

    private func write(_ text: String) {
        _ = try? FileDescriptor.standardError.writeAll(text.utf8)
    }
}
