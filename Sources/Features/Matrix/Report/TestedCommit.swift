import LinuxKernel

/// Which commit a matrix tested.
enum TestedCommit {
    /// As CI engines name it.
    private static let variables = [
        "GITHUB_SHA", "CI_COMMIT_SHA", "BUILDKITE_COMMIT", "CIRCLE_SHA1", "GIT_COMMIT",
        "BUILD_SOURCEVERSION", "BITBUCKET_COMMIT", "SEMAPHORE_GIT_SHA", "DRONE_COMMIT_SHA",
    ]
    /// A longer chain of parents is no working directory.
    private static let mostParents = 64

    /// The commit that a CI engine names, or that the Git repository around `directory` has checked
    /// out; nil if there is none.
    static func current(in directory: String, environment: [String: String]) -> String? {
        variables.lazy.compactMap { environment[$0] }.first(where: isID) ?? head(in: directory)
    }

    private static func head(in directory: String) -> String? {
        var path = directory
        for _ in 0..<mostParents {
            if let head = text("\(path)/.git/HEAD") { return commit(head, in: "\(path)/.git") }
            // A work tree beside the repository has a file that leads to it.
            if let link = text("\(path)/.git"), link.hasPrefix("gitdir: ") {
                let target = String(link.dropFirst("gitdir: ".count))
                let place = target.hasPrefix("/") ? target : "\(path)/\(target)"
                return text("\(place)/HEAD").flatMap { commit($0, in: place) }
            }
            guard path != "/", let slash = path.lastIndex(of: "/") else { return nil }
            path = slash == path.startIndex ? "/" : String(path[..<slash])
        }
        return nil
    }

    private static func commit(_ head: String, in repository: String) -> String? {
        guard head.hasPrefix("ref: ") else { return isID(head) ? head : nil }
        let name = head.dropFirst("ref: ".count)
        let common = text("\(repository)/commondir").map { "\(repository)/\($0)" } ?? repository
        if let id = text("\(common)/\(name)"), isID(id) { return id }
        let lines = (try? SmallFile.read("\(common)/packed-refs", limit: 1 << 24)) ?? ""
        return lines.split(separator: "\n").first { $0.hasSuffix(" \(name)") }
            .flatMap { $0.split(separator: " ").first }.map(String.init).flatMap {
                isID($0) ? $0 : nil
            }
    }

    private static func text(_ path: String) -> String? {
        (try? SmallFile.read(path, limit: 4096))?.split(separator: "\n").first.map(String.init)
    }

    private static func isID(_ text: String) -> Bool {
        [40, 64].contains(text.count) && text.allSatisfy(\.isHexDigit)
    }
}
