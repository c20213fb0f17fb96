/// A test suite of a JUnit file, in the dialect that Jenkins, GitLab and pytest share.
struct JUnitSuite: Sendable, Hashable {
    var name: String
    /// When it began; nil if the file does not say.
    var timestamp: String?
    var properties: [Property] = []
    var cases: [JUnitCase] = []
    var output = ""
    var errorOutput = ""

    struct Property: Sendable, Hashable {
        var name: String
        var value: String
    }

    var seconds: Double { cases.reduce(0) { $0 + ($1.seconds ?? 0) } }

    func count(of outcome: JUnitCase.Outcome.Kind) -> Int {
        cases.count { $0.decisiveKind == outcome }
    }
}

extension CollectedTests {
    /// The failed tests, one line each with the stated reason.
    var failures: [String] {
        suites.flatMap(\.cases).compactMap { test in
            guard let kind = test.decisiveKind, kind != .skipped else { return nil }
            let message = test.outcomes.first { $0.kind == kind }?.message ?? ""
            let line = String(message.prefix(500)).singleLine
            return line.isEmpty ? test.name : "\(test.name): \(line)"
        }
    }
}

/// One test.
struct JUnitCase: Sendable, Hashable {
    var name: String
    var className: String?
    var seconds: Double?
    /// What happened to it; empty if it passed.
    var outcomes: [Outcome] = []
    var output = ""
    var errorOutput = ""

    /// Something that happened to a test.
    struct Outcome: Sendable, Hashable {
        /// The names of the elements.
        enum Kind: String, Sendable, Hashable, CaseIterable {
            case skipped, error, failure, rerunFailure, rerunError, flakyFailure, flakyError
        }

        var kind: Kind
        var message: String?
        var type: String?
        var text = ""
    }

    /// The overall result: error, failure, skipped, or nil if it passed.
    ///
    /// Node calls a test that is known to fail skipped as well, of the type `todo`.
    var decisiveKind: Outcome.Kind? {
        if outcomes.contains(where: { $0.kind == .skipped && $0.type == "todo" }) {
            return .skipped
        }
        return [.error, .failure, .skipped].first { kind in outcomes.contains { $0.kind == kind } }
    }
}
