import Recording

/// Where the page of each cell is: in the report's page, or, with many cells, in files beside it.
///
/// Theory of operation. Browsers take seconds for a document with the plots and logs of thousands of
/// cells. Beyond `mostInOneFile` cells, `report.html` has the overview only, and `pages/` has the
/// cells' pages, a few in each file. These are whole documents that links lead to, so they load when
/// they are wanted, from a disk and from any server of artifacts, with or without scripts.
struct CellLinks: Sendable, Hashable {
    /// How many cells the report has.
    let count: Int

    /// The most cells of a report in one file.
    static let mostInOneFile = 200
    /// How many cells are in each of the files beside it.
    static let cellsInFile = 25
    /// The directory of these files.
    static let directory = "pages"

    /// A document of a report.
    enum Document: Sendable, Hashable {
        /// `report.html`.
        case main
        /// A file in `pages/`, from 0.
        case file(Int)
    }

    /// Whether the cells' pages are in files beside the report's.
    var isSplit: Bool { count > Self.mostInOneFile }

    /// How many files there are in `pages/`.
    var fileCount: Int {
        isSplit ? (count + Self.cellsInFile - 1) / Self.cellsInFile : 0
    }

    /// The paths of the files in `pages/`, relative to the report's directory.
    var paths: [String] { (0..<fileCount).map { "\(Self.directory)/\(name($0))" } }

    /// The cells in a file.
    func cells(in file: Int) -> Range<Int> {
        let first = file * Self.cellsInFile
        return first..<min(first + Self.cellsInFile, count)
    }

    /// The document with the page of a cell.
    func document(of index: Int) -> Document {
        isSplit ? .file(index / Self.cellsInFile) : .main
    }

    /// The address of a cell's page, or of a test in it, for a link in `document`.
    func address(of index: Int, test: Int? = nil, in document: Document) -> Markup {
        let anchor: Markup = "#cell-\(index + 1)\(test, { "-test-\($0 + 1)" })"
        guard case .file(let file) = self.document(of: index), self.document(of: index) != document
        else { return anchor }
        let directory = document == .main ? Self.directory + "/" : ""
        return "\(directory)\(name(file))\(anchor)"
    }

    private func name(_ file: Int) -> String { "cells-\(file + 1).html" }
}

extension CellLinks.Document {
    /// The path of the report's directory for a link in this document.
    var root: Markup { self == .main ? "./" : "../" }

    /// The address of the overview.
    var overview: Markup { self == .main ? "#matrix" : "../report.html#matrix" }
}
