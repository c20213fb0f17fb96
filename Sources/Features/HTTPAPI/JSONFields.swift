package import JSONReading

/// What is wrong with a value in a request, and where.
package struct FieldProblem: Error, Equatable, CustomStringConvertible {
    /// The path of the field: `attributes.latency`.
    package let field: String
    /// What is wrong and what to do.
    package let explanation: String

    package init(field: String, explanation: String) {
        self.field = field
        self.explanation = explanation
    }

    /// `attributes.latency: a whole number belongs here, not a text`
    package var description: String { "\(field): \(explanation)" }
}

/// The members of an object in a request.
package struct JSONFields {
    private let path: String
    private let members: [JSONMember]

    /// The members of an object; `path` is where it is in the request.
    package init(_ value: JSONValue, at path: String = "") throws(FieldProblem) {
        guard case .object(let members) = value else {
            throw FieldProblem(
                field: path.isEmpty ? "body" : path,
                explanation: "an object belongs here, not \(value.kind)")
        }
        self.members = members
        self.path = path
    }

    /// Refuses members of other names, which are likely misspelt.
    package func expect(only known: [String]) throws(FieldProblem) {
        guard let stray = members.first(where: { !known.contains($0.key) }) else { return }
        throw FieldProblem(
            field: fullPath(stray.key),
            explanation: "there is no such field here; there are \(known.joined(separator: ", "))")
    }

    /// Whether the member is there, be it null.
    package func has(_ key: String) -> Bool { members.contains { $0.key == key } }

    /// The member; nil if it is not there or null.
    package func value(_ key: String) -> JSONValue? {
        guard let value = members.first(where: { $0.key == key })?.value, value != .null else {
            return nil
        }
        return value
    }

    package func text(_ key: String) throws(FieldProblem) -> String? {
        guard let value = value(key) else { return nil }
        guard case .string(let text) = value else { throw wrong(key, value, "a text") }
        return text
    }

    package func requiredText(_ key: String) throws(FieldProblem) -> String {
        guard let text = try text(key), !text.isEmpty else { throw missing(key) }
        return text
    }

    package func flag(_ key: String) throws(FieldProblem) -> Bool? {
        guard let value = value(key) else { return nil }
        guard case .bool(let flag) = value else { throw wrong(key, value, "true or false") }
        return flag
    }

    /// A whole number; `100.0` is one, too.
    package func integer(_ key: String) throws(FieldProblem) -> Int? {
        guard let value = value(key) else { return nil }
        guard case .number(let text) = value,
            let number = Int(text) ?? Double(text).flatMap({ Int(exactly: $0) })
        else { throw wrong(key, value, "a whole number") }
        return number
    }

    package func unsigned(_ key: String) throws(FieldProblem) -> UInt64? {
        guard let value = value(key) else { return nil }
        guard case .number(let text) = value, let number = UInt64(text) else {
            throw wrong(key, value, "a whole number of at least 0")
        }
        return number
    }

    package func decimal(_ key: String) throws(FieldProblem) -> Double? {
        guard let value = value(key) else { return nil }
        guard case .number(let text) = value, let number = Double(text), number.isFinite else {
            throw wrong(key, value, "a number")
        }
        return number
    }

    package func texts(_ key: String) throws(FieldProblem) -> [String]? {
        guard let value = value(key) else { return nil }
        guard case .array(let elements) = value else { throw wrong(key, value, "a list of texts") }
        var texts: [String] = []
        for (index, element) in elements.enumerated() {
            guard case .string(let text) = element else {
                throw wrong("\(key)[\(index)]", element, "a text")
            }
            texts.append(text)
        }
        return texts
    }

    package func choice<Choice: RawRepresentable & CaseIterable>(
        _ key: String, of _: Choice.Type
    ) throws(FieldProblem) -> Choice? where Choice.RawValue == String {
        guard let text = try text(key) else { return nil }
        guard let choice = Choice(rawValue: text) else {
            let choices = Choice.allCases.map(\.rawValue).joined(separator: ", ")
            throw problem(key, "\"\(text)\" is not one of \(choices)")
        }
        return choice
    }

    /// The objects of a list; nil if it is not there.
    package func objects(_ key: String) throws(FieldProblem) -> [JSONFields]? {
        guard let value = value(key) else { return nil }
        guard case .array(let elements) = value else { throw wrong(key, value, "a list") }
        var objects: [JSONFields] = []
        for (index, element) in elements.enumerated() {
            objects.append(try JSONFields(element, at: "\(fullPath(key))[\(index)]"))
        }
        return objects
    }

    /// The object `key`; an empty one if it is not there.
    package func object(_ key: String) throws(FieldProblem) -> JSONFields {
        try JSONFields(value(key) ?? .object([]), at: fullPath(key))
    }

    package func missing(_ key: String) -> FieldProblem { problem(key, "is missing") }

    package func problem(_ key: String, _ explanation: String) -> FieldProblem {
        FieldProblem(field: fullPath(key), explanation: explanation)
    }

    private func wrong(_ key: String, _ value: JSONValue, _ expected: String) -> FieldProblem {
        guard case .number(let text) = value else {
            return problem(key, "\(expected) belongs here, not \(value.kind)")
        }
        return problem(key, "\(expected) belongs here, not \(text)")
    }

    private func fullPath(_ key: String) -> String { path.isEmpty ? key : "\(path).\(key)" }
}
