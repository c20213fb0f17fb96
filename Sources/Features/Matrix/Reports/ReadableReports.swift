import LinuxKernel
import Recording

/// The reports that people and CI engines read, made from the report of a matrix and from what its
/// cells left in files.
///
/// Theory of operation. What is read from files is read once, by the initializer. The rest depends
/// on these values alone: the same report gives the same text, whoever makes it. Logs and the
/// files of others are hostile input: `Markup` escapes whatever is not a literal here.
public struct ReadableReports: Sendable {
    private let report: MatrixReport
    private let attachments: [CellAttachments]

    /// The names of the files in the directory of a report.
    public enum File: String, Sendable, Hashable, CaseIterable {
        case junit = "junit.xml"
        case summary = "summary.md"
        case page = "report.html"
    }

    /// Reads the logs of the cells, and the JUnit files among what they left.
    ///
    /// What cannot be read is told in the reports.
    ///
    /// - Parameters:
    ///   - directory: the directory of the report, to which its paths are relative; nil if there
    ///     is none, and so no log.
    ///   - pattern: which of a cell's files are JUnit files, relative to the cell's own directory:
    ///     `**/junit-*.xml`; nil: every `.xml` that is one.
    public init(_ report: MatrixReport, in directory: String?, collecting pattern: String? = nil) {
        guard let directory, let contained = try? ContainedDirectory(directory) else {
            self.init(report, report.cells.map { _ in CellAttachments() })
            return
        }
        var room = Self.mostJUnitBytes
        var attachments: [CellAttachments] = []
        for cell in report.cells {
            attachments.append(
                CellAttachments(
                    of: cell, in: contained, cells: report.cells.count, pattern: pattern,
                    room: &room))
        }
        self.init(report, attachments)
    }

    /// As much of JUnit files as all cells together may have.
    private static let mostJUnitBytes = 64 << 20

    /// Takes what was read; attachments in the order of the cells.
    init(_ report: MatrixReport, _ attachments: [CellAttachments]) {
        self.report = report
        self.attachments = attachments
    }

    /// The text of a file.
    public func text(of file: File) -> String {
        switch file {
        case .junit: JUnitReport(report: report, attachments: attachments).xml
        case .summary: SummaryReport(report: report, attachments: attachments).markdown
        case .page: PageReport(report: report, attachments: attachments).html
        }
    }

    /// What to print where GitHub runs the matrix, so that failed cells stand on the job's page.
    public var gitHubMessages: [String] {
        GitHubMessages(report: report, attachments: attachments).lines
    }
}
