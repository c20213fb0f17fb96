import LinuxKernel
import Recording

/// Reports for people and CI engines, made from a matrix report and its cells' files.
///
/// Theory of operation. The initializer reads all files once. Everything else depends only on these
/// values: the same report always gives the same text. Logs and other tools' files are hostile
/// input: `Markup` escapes everything that is not a literal here.
public struct ReadableReports: Sendable {
    let report: MatrixReport
    private let attachments: [CellAttachments]

    /// The files in a report's directory.
    public enum File: String, Sendable, Hashable, CaseIterable {
        case junit = "junit.xml"
        case summary = "summary.md"
        case page = "report.html"
    }

    /// Reads the cells' logs and JUnit files.
    ///
    /// The reports mention what cannot be read.
    ///
    /// - Parameters:
    ///   - directory: The report's directory, to which its paths are relative; nil if there is
    ///     none, and thus no logs.
    ///   - pattern: Which of a cell's files are JUnit files, relative to the cell's own directory:
    ///     `**/junit-*.xml`; nil: every `.xml` file that is one.
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

    /// The total size of JUnit files accepted for all cells.
    static let mostJUnitBytes = 64 << 20

    /// Takes attachments already read, in the order of the cells.
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

    /// Writes all of them, and the pages of the cells where these are files of their own.
    public func write(to directory: ReportDirectory) throws(MatrixError) {
        let page = PageReport(report: report, attachments: attachments)
        if page.links.isSplit { try directory.makeDirectory(CellLinks.directory) }
        // The page that leads to the others comes after them.
        for (number, path) in page.links.paths.enumerated() {
            try directory.write(page.page(number), to: path)
        }
        for file in File.allCases { try directory.write(text(of: file), to: file.rawValue) }
    }

    /// The lines to print in a GitHub job, so that its page shows failed cells.
    public var gitHubMessages: [String] {
        GitHubMessages(report: report, attachments: attachments).lines
    }
}
