import LinkModel

/// A piece of HTML or XML that escapes all outside text.
///
/// A literal is markup; interpolated values are escaped unless they are markup themselves: `let
/// row: Markup = "<td>\(name)</td>"`. This holds for text and for attribute values in double
/// quotes. A template library would do worse: swift-mustache compares characters, so a quotation
/// mark followed by a combining accent ends an attribute; it reports a misspelt name only as a gap
/// in the output, and makes the program 5 MB larger.
package struct Markup: Sendable, ExpressibleByStringInterpolation, CustomStringConvertible {
    private var utf8: [UInt8] = []

    /// The markup as text.
    package var description: String { String(decoding: utf8, as: UTF8.self) }

    package var isEmpty: Bool { utf8.isEmpty }

    package init() {}

    package init(stringLiteral value: String) {
        utf8 = Array(value.utf8)
    }

    package init(stringInterpolation: StringInterpolation) {
        utf8 = stringInterpolation.markup.utf8
    }

    /// Treats text as markup. For constants only.
    package init(trusted text: String) {
        utf8 = Array(text.utf8)
    }

    /// Escapes a text.
    package init(escaping text: some StringProtocol) {
        append(escaping: text)
    }

    package static func += (left: inout Markup, right: Markup) {
        left.utf8 += right.utf8
    }

    /// Appends escaped text. Characters that XML forbids, and that HTML should not have, become
    /// visible.
    package mutating func append(escaping text: some StringProtocol) {
        for scalar in text.unicodeScalars {
            switch scalar {
            case "<": utf8 += "&lt;".utf8
            case ">": utf8 += "&gt;".utf8
            case "&": utf8 += "&amp;".utf8
            case "\"": utf8 += "&quot;".utf8
            case "'": utf8 += "&#39;".utf8
            default: utf8 += UTF8.encode(scalar.visible) ?? .init()
            }
        }
    }

    package struct StringInterpolation: StringInterpolationProtocol {
        fileprivate var markup = Markup()

        package init(literalCapacity: Int, interpolationCount: Int) {
            markup.utf8.reserveCapacity(literalCapacity + 16 * interpolationCount)
        }

        package mutating func appendLiteral(_ literal: String) {
            markup.utf8 += literal.utf8
        }

        package mutating func appendInterpolation(_ text: some StringProtocol) {
            markup.append(escaping: text)
        }

        /// Appends text as an attribute value, in which XML would turn line breaks into blanks.
        package mutating func appendInterpolation(attribute text: some StringProtocol) {
            for character in text.unicodeScalars {
                switch character {
                case "\n": markup.utf8 += "&#10;".utf8
                case "\t": markup.utf8 += "&#9;".utf8
                default: markup.append(escaping: String(character))
                }
            }
        }

        package mutating func appendInterpolation(_ number: some BinaryInteger) {
            markup.utf8 += "\(number)".utf8
        }

        package mutating func appendInterpolation(_ piece: Markup) {
            markup += piece
        }

        package mutating func appendInterpolation(_ pieces: [Markup]) {
            for piece in pieces { markup += piece }
        }

        /// Appends markup if a condition holds.
        package mutating func appendInterpolation(
            _ piece: @autoclosure () -> Markup, if condition: Bool
        ) {
            if condition { markup += piece() }
        }

        /// Appends markup made from a value, if there is one.
        package mutating func appendInterpolation<Value>(
            _ value: Value?, _ make: (Value) -> Markup
        ) {
            if let value { markup += make(value) }
        }
    }
}
