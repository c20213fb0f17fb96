import LinuxKernel
import SystemPackage
import XMLReading

/// The tests inside a cell, from JUnit files that the command itself wrote.
struct CollectedTests: Sendable, Hashable {
    var suites: [JUnitSuite] = []
    /// Files that could not be read, with the reason.
    var notes: [String] = []
    /// Why there may be tests of which nothing is known; nil: all that have the form of JUnit files
    /// were read.
    private(set) var loss: String?

    /// Larger files are not read.
    private static let fileLimit = 16 << 20
    private static let countLimit = 10_000
    /// The most files searched.
    private static let searchLimit = 100_000
    /// Where a JUnit file shows what it is.
    private static let headLength = 4096

    init() {}

    /// Reads the JUnit files among a cell's files.
    ///
    /// - Parameters:
    ///   - name: The cell's directory, relative to the report's.
    ///   - pattern: Which files, relative to it, such as `**/junit-*.xml`; nil: every `.xml` file
    ///     that turns out to be one.
    ///   - room: How many more bytes are accepted.
    init(
        in name: String, of directory: ContainedDirectory, pattern: String?, room: inout Int
    ) {
        let glob = Glob(pattern ?? "**/*.xml")
        func isMeant(_ path: String) -> Bool {
            let path = String(path.dropFirst(name.count + 1))
            return glob.matches(pattern == nil ? path.lowercased() : path)
        }
        let all = Self.list(name, of: directory)
        for (path, reason) in all.hidden.prefix(Self.countLimit) {
            notes.append("\(path) is left out of the reports: \(reason)")
            // A directory may have anything.
            if pattern != nil || isMeant(path) {
                loss = loss ?? "\(path) cannot be read: \(reason)"
            }
        }
        let paths = all.files.map(\.path).filter(isMeant)
        for path in paths.prefix(Self.countLimit) {
            do {
                let bytes = try Self.read(path, of: directory, room: &room)
                try add(bytes, isAskedFor: pattern != nil)
            } catch {
                notes.append("\(path) is left out of the reports: \(error.reason)")
                if pattern != nil || Self.looksLikeJUnit(path, of: directory) {
                    loss = loss ?? "\(path) cannot be read: \(error.reason)"
                }
            }
        }
        if let pattern, paths.isEmpty, loss == nil { noteAbsence(of: pattern) }
        if paths.count > Self.countLimit || all.files.count >= Self.searchLimit {
            let excess =
                "\(name) has too many files to find all JUnit files among them; name those with"
                + " --collect"
            notes.append(excess)
            loss = loss ?? excess
        }
    }

    /// What a cell's directory contains; one that the command has removed, nothing.
    private static func list(
        _ name: String, of directory: ContainedDirectory
    ) -> ContainedDirectory.Listing {
        do {
            return try directory.files(below: name, limit: searchLimit)
        } catch Errno.noSuchFileOrDirectory {
            return .init()
        } catch {
            return .init(hidden: [(name, "\(error)")])
        }
    }

    /// Those of a cell that has written no file at all.
    init(withoutFilesFor pattern: String) { noteAbsence(of: pattern) }

    private mutating func noteAbsence(of pattern: String) {
        let absence = "no file in LINKCOND_OUTPUT matches --collect \(ShellWord.line([pattern]))"
        notes.append(absence)
        loss = absence
    }

    /// Whether a file that cannot be read has the beginning of one with test results, or nobody can
    /// know.
    private static func looksLikeJUnit(_ path: String, of directory: ContainedDirectory) -> Bool {
        let file: OwnedDescriptor
        do {
            file = try directory.open(path)
        } catch {
            return error != .notRegular
        }
        var head = [UInt8](repeating: 0, count: headLength)
        let count = (try? file.raw.readSome(into: &head)) ?? 0
        return head.prefix(count).contains(Array("<testsuite".utf8))
    }

    private struct Refusal: Error { var reason: String }

    private static func read(
        _ path: String, of directory: ContainedDirectory, room: inout Int
    ) throws(Refusal) -> [UInt8] {
        do {
            let bytes = try directory.read(path, limit: fileLimit)
            guard bytes.count <= room else {
                throw Refusal(reason: "the JUnit files of all cells are too large together")
            }
            room -= bytes.count
            return bytes
        } catch let refusal as Refusal {
            throw refusal
        } catch InputFileError.notRegular {
            throw Refusal(reason: "not a regular file")
        } catch InputFileError.unreadable(let reason) {
            throw Refusal(reason: "\(reason)")
        } catch {
            throw Refusal(reason: "it \(error)")
        }
    }

    private mutating func add(_ bytes: [UInt8], isAskedFor: Bool) throws(Refusal) {
        do {
            if let suites = try JUnitFile.read(bytes) {
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

/// A path pattern: `*` and `?` match characters other than a slash, `**/` any directories.
struct Glob: Sendable, Hashable {
    private let parts: [[Character]]

    init(_ pattern: String) {
        parts = pattern.split(separator: "/").filter { $0 != "." }.map(Array.init)
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

    /// Backtracks only to the last `*`, so that no pattern takes long.
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
