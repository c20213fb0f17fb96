import LinkModel
package import LinkUnits
package import YAMLReading

/// Reads the fields of one YAML mapping; every error has a location.
///
/// It reads YAML nodes rather than `Codable` types, because decoders ignore unknown keys and lose
/// line numbers.
package struct FieldReader {
    package let file: String
    package let path: String
    package let mapping: YAMLNode.Mapping

    /// Reads `node` as the mapping at `path`, whose keys must be among `known`.
    package init(_ node: YAMLNode, file: String, path: String, known: [String]) throws(ProfileError)
    {
        self.file = file
        self.path = path
        guard case .mapping(let mapping) = node else {
            let example = known.first ?? ""
            throw ProfileError(
                file: file, line: node.line, field: path,
                explanation: path.isEmpty
                    ? "is not a profile; the first line of one is \"name: ...\""
                    : "has to be a list of fields, such as { \(example): ... }")
        }
        self.mapping = mapping
        for (key, _) in mapping {
            guard let name = key.string else {
                throw ProfileError(
                    file: file, line: key.line, field: path,
                    explanation: "a key has to be a word; known here: "
                        + known.joined(separator: ", "))
            }
            guard known.contains(name) else { throw unknownKey(name, key, known: known) }
        }
    }

    private func unknownKey(_ name: String, _ key: YAMLNode, known: [String]) -> ProfileError {
        let remedy =
            NameMatching.suggestion(for: name, among: known).map { "did you mean \($0)?" }
            ?? "known here: \(known.joined(separator: ", "))"
        return ProfileError(
            file: file, line: key.line, field: fieldPath(name),
            explanation: "unknown key; \(remedy)")
    }

    package func fieldPath(_ key: String) -> String { path.isEmpty ? key : "\(path).\(key)" }

    /// The node under `key`, if there is one.
    package func node(_ key: String) -> YAMLNode? { mapping[key] }

    /// An error about the value under `key`, or about its absence.
    package func error(_ key: String, _ explanation: String) -> ProfileError {
        ProfileError(
            file: file, line: node(key)?.line ?? mapping.line, field: fieldPath(key),
            explanation: explanation)
    }

    /// The text under `key`, if there is one.
    package func text(_ key: String) throws(ProfileError) -> String? {
        guard let node = node(key) else { return nil }
        guard case .scalar(let scalar) = node else {
            throw error(key, "has to be a single value")
        }
        guard !scalar.string.isEmpty else {
            throw error(key, "has no value; write one or leave the key out")
        }
        return try printable(scalar.string, key)
    }

    /// The sentences under `key`, if there are any, joined to one line.
    package func prose(_ key: String) throws(ProfileError) -> String? {
        guard let node = node(key) else { return nil }
        guard case .scalar(let scalar) = node else { throw error(key, "has to be a text") }
        let words = scalar.string.split(whereSeparator: \.isWhitespace)
        return try printable(words.joined(separator: " "), key)
    }

    /// `text`, unless it contains characters that would confuse a terminal or a report.
    package func printable(_ text: String, _ key: String) throws(ProfileError) -> String {
        guard let scalar = text.unicodeScalars.first(where: { !$0.isPrintable }) else {
            return text
        }
        throw error(key, "has the character \(String(scalar).printable), which cannot be shown")
    }

    /// The required text under `key`.
    package func requiredText(_ key: String) throws(ProfileError) -> String {
        guard let text = try text(key) else {
            throw error(key, "is missing; every profile has one")
        }
        return text
    }

    /// The quantity under `key`, if there is one.
    package func quantity<Value>(
        _ key: String, _ parse: (String) throws(QuantityError) -> Value
    ) throws(ProfileError) -> Value? {
        guard let text = try text(key) else { return nil }
        do {
            return try parse(text)
        } catch {
            throw self.error(key, error)
        }
    }

    /// An error about a quantity under `key`.
    package func error(_ key: String, _ problem: QuantityError) -> ProfileError {
        error(key, problem.description)
    }

    /// The choice under `key`, if there is one.
    package func choice<Choice: RawRepresentable & CaseIterable>(
        _ key: String, _: Choice.Type
    ) throws(ProfileError) -> Choice? where Choice.RawValue == String {
        guard let text = try text(key) else { return nil }
        do { return try FieldValue.scalar(text).choice(Choice.self) } catch {
            throw self.error(key, error)
        }
    }

    /// The flag under `key`; false if absent.
    package func flag(_ key: String) throws(ProfileError) -> Bool {
        guard let text = try text(key) else { return false }
        do { return try FieldValue.scalar(text).flag() } catch { throw self.error(key, error) }
    }

    private func error(_ key: String, _ problem: FieldError) -> ProfileError {
        error(key, problem.explanation)
    }

    /// Reads `field`, if present, into `conditions`.
    func read(
        _ field: ConditionField, into conditions: inout DirectionConditions
    ) throws(ProfileError) {
        guard let node = node(field.key) else { return }
        guard !field.members.isEmpty, case .mapping = node else {
            guard let text = try text(field.key) else { return }
            do { return try field.read(.scalar(text), &conditions) } catch {
                throw self.error(field.key, error)
            }
        }
        let inner = try FieldReader(
            node, file: file, path: fieldPath(field.key), known: field.members)
        var members: [(key: String, text: String)] = []
        for key in field.members {
            if let text = try inner.text(key) { members.append((key, text)) }
        }
        do { try field.read(.mapping(members), &conditions) } catch {
            throw error.member.map { inner.error($0, error) } ?? self.error(field.key, error)
        }
    }
}
