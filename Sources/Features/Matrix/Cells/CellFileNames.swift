/// Unique file names for cells, made of letters, digits, `.`, `_` and `-`.
struct CellFileNames {
    private let names: [String: String]

    init(_ cells: [Cell]) {
        var names: [String: String] = [:]
        var taken: Set<String> = []
        for cell in cells {
            let plain = Self.plain(cell.id)
            var name = plain
            var number = 2
            // Reports may be unpacked on a case-insensitive file system.
            while !taken.insert(name.lowercased()).inserted {
                name = "\(plain)_\(number)"
                number += 1
            }
            names[cell.id] = name
        }
        self.names = names
    }

    /// The base names of the files of cells.
    ///
    /// Other kinds of machines have their own baseline.
    func names(of cells: [Cell], in store: MatrixStore?, _ stored: StoredCells?) -> [String] {
        let kind = store?.machineKind ?? ""
        let isShared =
            store?.record.isQueue == true || stored?.hasBaseline(elsewhereThan: kind) == true
        let suffix = isShared ? ".on-\(String(StableHash.of(kind.utf8) >> 32, radix: 16))" : ""
        return cells.map { $0.isBaseline ? self[$0] + suffix : self[$0] }
    }

    /// The names of all.
    var all: some Collection<String> { names.values }

    subscript(cell: Cell) -> String { names[cell.id] ?? Self.plain(cell.id) }

    private static func plain(_ id: String) -> String {
        let kept = id.map { character in
            let isKept =
                character.isASCII
                && (character.isLetter || character.isNumber || "._-".contains(character))
            return isKept ? character : "-"
        }
        // A name that begins with a dot would be hidden or lead to another directory.
        let name = String(kept.drop { $0 == "." || $0 == "-" }.prefix(100))
        return name.isEmpty ? "cell" : name
    }
}
