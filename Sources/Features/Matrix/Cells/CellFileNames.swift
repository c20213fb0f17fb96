/// Names of files for cells: letters, digits, `.`, `_` and `-` of their names, and no two alike.
struct CellFileNames {
    private let names: [String: String]

    init(_ cells: [Cell]) {
        var names: [String: String] = [:]
        var taken: Set<String> = []
        for cell in cells {
            let plain = Self.plain(cell.id)
            var name = plain
            var number = 2
            // The case of letters makes no difference where reports may be unpacked.
            while !taken.insert(name.lowercased()).inserted {
                name = "\(plain)_\(number)"
                number += 1
            }
            names[cell.id] = name
        }
        self.names = names
    }

    subscript(cell: Cell) -> String { names[cell.id] ?? Self.plain(cell.id) }

    private static func plain(_ id: String) -> String {
        let kept = id.map { character in
            let isKept =
                character.isASCII
                && (character.isLetter || character.isNumber || "._-".contains(character))
            return isKept ? character : "-"
        }
        // A name that begins with a dot is hidden, or leads elsewhere.
        let name = String(kept.drop { $0 == "." || $0 == "-" }.prefix(100))
        return name.isEmpty ? "cell" : name
    }
}
