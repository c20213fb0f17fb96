import FoundationEssentials
import XMLReading

/// The tests within a cell: what the command itself wrote about them in JUnit files.
struct CollectedTests: Sendable, Hashable {
    var suites: [JUnitSuite] = []
    /// What could not be read, and why.
    var notes: [String] = []

    /// A file as large as this is no report.
    private static let fileLimit: UInt64 = 16 * 1024 * 1024
    private static let countLimit = 500

    init() {}

    /// Reads the JUnit files among those that a cell left.
    ///
    /// - Parameters:
    ///   - name: how the reader knows the directory.
    ///   - pattern: which files, relative to it, such as `**/junit-*.xml`; nil: every `.xml` that
    ///     turns out to be one.
    init(in directory: String, called name: String, pattern: String?) {
        let glob = Glob(pattern ?? "**/*.xml")
        let all = (try? FileManager.default.subpathsOfDirectory(atPath: directory)) ?? []
        let paths = all.filter(glob.matches).sorted()
        for path in paths.prefix(Self.countLimit) {
            do {
                try add("\(directory)/\(path)", isAskedFor: pattern != nil)
            } catch {
                notes.append("\(name)/\(path) is left out of the reports: \(error.reason)")
            }
        }
        if paths.count > Self.countLimit {
            notes.append(
                "\(name) has \(paths.count) JUnit files, of which the reports take in only"
                    + " \(Self.countLimit)")
        }
    }

    private struct Refusal: Error { var reason: String }

    private mutating func add(_ path: String, isAskedFor: Bool) throws(Refusal) {
        let attributes = try? FileManager.default.attributesOfItem(atPath: path)
        // A link may lead out of the directory, and a pipe may never end.
        guard attributes?[.type] as? FileAttributeType == .typeRegular else {
            if attributes?[.type] as? FileAttributeType == .typeDirectory { return }
            throw Refusal(reason: "not a regular file")
        }
        let size = (attributes?[.size] as? any BinaryInteger).map { UInt64($0) } ?? 0
        guard size <= Self.fileLimit else {
            throw Refusal(reason: "larger than \(Self.fileLimit / 1024 / 1024) MiB")
        }
        guard let data = FileManager.default.contents(atPath: path) else {
            throw Refusal(reason: "cannot be read")
        }
        do {
            if let suites = try JUnitFile.read(Array(data)) {
                self.suites += suites
            } else if isAskedFor {
                throw Refusal(reason: "XML, but no <testsuites>")
            }
        } catch let error as XMLError {
            throw Refusal(reason: "\(error)")
        } catch let refusal as Refusal {
            throw refusal
        } catch {
            throw Refusal(reason: "\(error)")
        }
    }
}

/// A pattern for paths: `*` and `?` for characters other than a slash, `**/` for any directories.
struct Glob: Sendable, Hashable {
    private let parts: [[Character]]

    init(_ pattern: String) {
        parts = pattern.split(separator: "/").map(Array.init)
    }

    func matches(_ path: String) -> Bool {
        Self.match(parts[...], path.split(separator: "/").map(Array.init)[...])
    }

    private static func match(
        _ pattern: ArraySlice<[Character]>, _ path: ArraySlice<[Character]>
    ) -> Bool {
        guard let first = pattern.first else { return path.isEmpty }
        let rest = pattern.dropFirst()
        if first == ["*", "*"] {
            return match(rest, path) || !path.isEmpty && match(pattern, path.dropFirst())
        }
        guard let name = path.first, match(name: name, first) else { return false }
        return match(rest, path.dropFirst())
    }

    /// Remembers the last `*` only, so that no pattern takes long.
    private static func match(name: [Character], _ pattern: [Character]) -> Bool {
        var (position, index) = (0, 0)
        var star: (position: Int, index: Int)?
        while position < name.count {
            if index < pattern.count, pattern[index] == "*" {
                star = (position, index)
                index += 1
            } else if index < pattern.count,
                pattern[index] == "?" || pattern[index] == name[position]
            {
                position += 1
                index += 1
            } else if let last = star {
                star = (last.position + 1, last.index)
                position = last.position + 1
                index = last.index + 1
            } else {
                return false
            }
        }
        return pattern[index...].allSatisfy { $0 == "*" }
    }
}
