import FoundationEssentials
import HostConditioning
import Matrix
import SystemPackage

/// The output of a matrix: files, a table or JSON on standard output, and GitHub's messages.
struct MatrixOutput {
    let report: MatrixReport
    /// The directory for the files; nil: none.
    let directory: ReportDirectory?
    let isJSON: Bool
    /// The pattern of the cells' JUnit files; nil: every file that turns out to be one.
    var pattern: String?
    /// Where results of other workers may arrive meanwhile.
    var store: MatrixStore?

    func write(_ console: Console) throws {
        let json = try report.json()
        let environment = ProcessInfo.processInfo.environment
        let readable = ReadableReports(report, in: directory?.path, collecting: pattern)
        // A reader of the table that goes away must not cost the files, nor a full disk the table.
        let files = Result { try writeFiles(json, readable) }
        try console.print(
            isJSON ? json : MatrixTable.text(report, isStyled: console.isStyled))
        for note in report.notes { console.note(note) }
        let isOnGitHub = environment["GITHUB_ACTIONS"] == "true"
        if isOnGitHub, !isJSON {
            for message in readable.gitHubMessages { try console.print(message) }
        }
        if let file = environment["GITHUB_STEP_SUMMARY"], !file.isEmpty {
            append(readable.text(of: .summary), to: file, console)
        }
        try files.get()
        guard let directory else { return }
        let page = "\(directory.path)/\(ReadableReports.File.page.rawValue)"
        WrittenReports.note(page, environment: environment)
        console.explain("The report is \(page).")
    }

    private func writeFiles(_ json: String, _ readable: ReadableReports) throws {
        guard let directory else { return }
        try Self.write(json, readable, to: directory)
        var last = report
        while let newer = store?.newer(than: last) {
            last = newer
            let readable = ReadableReports(newer, in: directory.path, collecting: pattern)
            try Self.write(newer.json(), readable, to: directory)
        }
    }

    private static func write(
        _ json: String, _ readable: ReadableReports, to directory: ReportDirectory
    ) throws {
        try directory.write(json, to: ReportDirectory.reportName)
        try readable.write(to: directory)
    }

    /// Appends to the summary of a GitHub job, to which other steps write as well.
    private func append(_ text: String, to file: String, _ console: Console) {
        do {
            let descriptor = try FileDescriptor.open(
                FilePath(file), .writeOnly, options: [.create, .append, .closeOnExec],
                permissions: [.ownerReadWrite, .groupRead, .otherRead])
            try descriptor.closeAfter { _ = try descriptor.writeAll(text.utf8) }
        } catch {
            console.note("cannot write \(file): \(error)")
        }
    }
}
