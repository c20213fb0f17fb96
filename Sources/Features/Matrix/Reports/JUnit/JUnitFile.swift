import XMLReading

/// Reads JUnit files of other tools: pytest, Jest, Maven, Gradle, gotestsum, nextest, Swift
/// Testing.
///
/// What Jenkins' schema does not have is dropped. Counts are recomputed, since tools count
/// differently.
enum JUnitFile {
    /// Reads a file; nil if it is XML but not JUnit.
    static func read(_ bytes: [UInt8]) throws(XMLError) -> [JUnitSuite]? {
        let root = try document(bytes)
        guard ["testsuites", "testsuite"].contains(root.name) else { return nil }
        return suites(in: root, under: [])
    }

    /// Many tools write a test's output as it is, with the terminal's control characters, which XML
    /// does not have.
    private static func document(_ bytes: [UInt8]) throws(XMLError) -> XMLElement {
        do {
            return try XMLDocument.read(bytes)
        } catch {
            let repaired = String(decoding: bytes, as: UTF8.self).withoutControls
            guard let root = try? XMLDocument.read(Array(repaired.utf8)) else { throw error }
            return root
        }
    }

    /// The suites in an element; nested suites become suites of their own.
    private static func suites(in element: XMLElement, under names: [String]) -> [JUnitSuite] {
        var path = names
        if element.name == "testsuite", let name = element.attributes["name"], !name.isEmpty {
            path.append(name)
        }
        let inner = element.elements.filter { $0.name == "testsuite" }
            .flatMap { suites(in: $0, under: path) }
        var cases = element.elements.filter { $0.name == "testcase" }.map(testCase)
        if cases.isEmpty, inner.isEmpty, let failure = failure(ofWhole: element) {
            cases.append(failure)
        }
        guard !cases.isEmpty else { return inner }
        var suite = JUnitSuite(name: path.joined(separator: " / "))
        suite.timestamp = element.attributes["timestamp"]
        suite.cases = cases
        suite.output = text(of: "system-out", in: element)
        suite.errorOutput = text(of: "system-err", in: element)
        for list in element.elements where list.name == "properties" {
            suite.properties += list.elements.filter { $0.name == "property" }.map {
                JUnitSuite.Property(
                    name: $0.attributes["name"] ?? "", value: $0.attributes["value"] ?? $0.text)
            }
        }
        return [suite] + inner
    }

    /// What a tool reports that came to no test, such as since the sources do not compile.
    private static func failure(ofWhole element: XMLElement) -> JUnitCase? {
        let counts = ["errors", "failures"].map { element.attributes[$0].flatMap { Int($0) } ?? 0 }
        guard counts.contains(where: { $0 > 0 }) else { return nil }
        var test = JUnitCase(name: "(no test)")
        test.outcomes = [
            JUnitCase.Outcome(
                kind: .error,
                message: "\(counts[0]) errors and \(counts[1]) failures, without a test")
        ]
        return test
    }

    private static func testCase(_ element: XMLElement) -> JUnitCase {
        var test = JUnitCase(name: element.attributes["name"] ?? "unnamed")
        test.className = element.attributes["classname"] ?? element.attributes["class"]
        test.seconds = element.attributes["time"].flatMap(seconds)
        test.output = text(of: "system-out", in: element)
        test.errorOutput = text(of: "system-err", in: element)
        test.outcomes = element.elements.compactMap { outcome in
            JUnitCase.Outcome.Kind(rawValue: outcome.name).map {
                JUnitCase.Outcome(
                    kind: $0, message: outcome.attributes["message"],
                    type: outcome.attributes["type"], text: outcome.allText)
            }
        }
        return test
    }

    private static func text(of name: String, in element: XMLElement) -> String {
        element.elements.filter { $0.name == name }.map(\.allText).joined(separator: "\n")
    }

    /// Reads `0.042`, and `1,234.5` as written by Surefire.
    private static func seconds(_ text: String) -> Double? {
        Double(text.filter { $0 != "," }).flatMap { $0.isFinite && $0 >= 0 ? $0 : nil }
    }
}

extension String {
    /// The text with a replacement character for each that XML forbids, also in its `&#27;` form.
    fileprivate var withoutControls: String {
        let isForbidden = { (value: UInt32) in
            value < 0x20 && ![0x09, 0x0A, 0x0D].contains(value) || value & 0xFFFE == 0xFFFE
        }
        let plain = unicodeScalars.map { isForbidden($0.value) ? "\u{FFFD}" : $0 }
        var text = String(String.UnicodeScalarView(plain))
        text.replace(/&#(?:x([0-9A-Fa-f]{1,6})|([0-9]{1,7}));/) { match in
            let value =
                match.1.flatMap { UInt32($0, radix: 16) } ?? match.2.flatMap { UInt32($0) } ?? 0
            return isForbidden(value) ? "\u{FFFD}" : String(match.0)
        }
        return text
    }
}

extension XMLElement {
    /// The text of the element and all its descendants.
    fileprivate var allText: String {
        content.reduce(into: "") { text, piece in
            switch piece {
            case .text(let piece): text += piece
            case .element(let element): text += element.allText
            }
        }
    }
}
