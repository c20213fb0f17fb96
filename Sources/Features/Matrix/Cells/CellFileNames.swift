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
