public import Catalog
import LinkModel
import NetworkPath
import Override
public import Sandbox
public import UserCatalog

/// An interface on the command line: `NAME=PROFILE`, followed by comma-separated changes.
public struct InterfaceArgument: Hashable, Sendable {
    private let name: String
    private let profile: String
    private let settings: [String]
    private let change: InterfaceOverride

    private static let form = "NAME=PROFILE, as in wifi0=WiFi or cell0=LTE,expensive"

    /// Parses the value of `--interface`.
    public init(_ text: String) throws(UsageError) {
        let parts = Self.parts(of: text)
        let head = parts[0].split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        guard head.count == 2, !head[1].isEmpty else {
            throw UsageError(description: "--interface \(text): write it as \(Self.form)")
        }
        (name, profile) = (String(head[0]), String(head[1]))
        if let problem = SandboxInterface.problem(ofName: name) {
            throw UsageError(description: "--interface \(text): \(name): \(problem)")
        }
        var change = InterfaceOverride()
        var settings: [String] = []
        for part in parts.dropFirst() {
            let words = part.split(separator: "=", maxSplits: 1).map(String.init)
            if let word = Word(rawValue: part) {
                word.apply(to: &change)
            } else if words.count == 2, words[0] == "kind" {
                guard let kind = InterfaceOverride.Kind(rawValue: words[1]) else {
                    throw Self.unknown(
                        words[1], in: text, InterfaceOverride.Kind.allCases.map(\.rawValue))
                }
                change.kind = kind
            } else if words.count == 2 {
                settings.append(part)
            } else {
                throw Self.unknown(part, in: text, Word.allCases.map(\.rawValue) + ["kind=KIND"])
            }
        }
        (self.settings, self.change) = (settings, change)
    }

    /// A property of an interface given as a single word.
    private enum Word: String, CaseIterable {
        case expensive, inexpensive, constrained, unconstrained

        func apply(to change: inout InterfaceOverride) {
            switch self {
            case .expensive: change.cost = .expensive
            case .inexpensive: change.cost = .inexpensive
            case .constrained: change.lowData = .on
            case .unconstrained: change.lowData = .off
            }
        }
    }

    private static func unknown(_ word: String, in text: String, _ known: [String]) -> UsageError {
        let hint =
            NameMatching.suggestion(for: word, among: known)
            .map { "did you mean \($0)?" } ?? "known are \(known.joined(separator: ", "))"
        return UsageError(
            description: "--interface \(text): \"\(word)\" says nothing about an interface; \(hint)"
        )
    }

    /// The parts between commas; commas within braces, as in `down.loss={mean: 2%, burst: 8}`, do
    /// not separate.
    private static func parts(of text: String) -> [String] {
        var parts = [""]
        var depth = 0
        for character in text {
            if character == "{" { depth += 1 }
            if character == "}" { depth -= 1 }
            if character == ",", depth <= 0 {
                parts.append("")
            } else {
                parts[parts.count - 1].append(character)
            }
        }
        return parts
    }

    /// The interface, with its profile looked up in `catalog`.
    public func interface(_ catalog: ProfileCatalog) throws -> SandboxInterface {
        let profile = try catalog.entry(named: profile).profile
        return SandboxInterface(
            name: name,
            conditions: try profile.conditions(changedBy: settings, option: "--interface \(name)"),
            profile: profile.id, mark: change.mark(profile, name: name))
    }
}
