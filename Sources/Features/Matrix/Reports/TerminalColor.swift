/// Colours of terminals beyond the usual sixteen, as the nearest of these: the page gives each a tone
/// that can be read in its light and its dark scheme.
enum TerminalColor {
    /// The usual sixteen as most terminals draw them: red, green, blue.
    private static let usual: [(Int, Int, Int)] = [
        (0, 0, 0), (205, 0, 0), (0, 205, 0), (205, 205, 0), (0, 0, 238), (205, 0, 205),
        (0, 205, 205), (229, 229, 229), (127, 127, 127), (255, 0, 0), (0, 255, 0), (255, 255, 0),
        (92, 92, 255), (255, 0, 255), (0, 255, 255), (255, 255, 255),
    ]

    /// Reads what follows 38 or 48 in an SGR sequence: `5;208`, or `2;255;135;0`.
    ///
    /// - Parameter index: Where it begins; afterwards, where the next code begins.
    /// - Returns: 0 to 15; nil if it is no colour.
    static func read(_ codes: [Int], _ index: inout Int) -> Int? {
        let rest = codes.dropFirst(index)
        switch rest.first {
        case 5:
            index += 2
            return rest.dropFirst().first.flatMap(nearest)
        case 2:
            index += 4
            let values = rest.dropFirst().prefix(3).map { min(max($0, 0), 255) }
            return values.count == 3 ? nearest((values[0], values[1], values[2])) : nil
        default:
            index += 1
            return nil
        }
    }

    /// The nearest to one of xterm's 256: the usual ones, a cube of six steps, and greys.
    private static func nearest(_ color: Int) -> Int? {
        switch color {
        case 0..<16: color
        case 16..<232:
            nearest(
                (step((color - 16) / 36), step((color - 16) / 6 % 6), step((color - 16) % 6)))
        case 232..<256: nearest((color * 10 - 2312, color * 10 - 2312, color * 10 - 2312))
        default: nil
        }
    }

    private static func step(_ level: Int) -> Int { level == 0 ? 0 : level * 40 + 55 }

    private static func nearest(_ color: (Int, Int, Int)) -> Int? {
        usual.indices.min { distance(color, usual[$0]) < distance(color, usual[$1]) }
    }

    private static func distance(_ one: (Int, Int, Int), _ other: (Int, Int, Int)) -> Int {
        let difference = (one.0 - other.0, one.1 - other.1, one.2 - other.2)
        return difference.0 * difference.0 + difference.1 * difference.1
            + difference.2 * difference.2
    }
}
