import Foundation

/// A folder, and what of it was sent.
struct Folder: Sendable {
    /// A file as it is at one moment.
    struct File: Sendable {
        var name: String
        var url: URL
        fileprivate var stamp: Stamp
    }

    /// What changes when a file changes.
    fileprivate struct Stamp: Hashable, Codable, Sendable {
        var size: Int64
        var modified: Date
    }

    private let url: URL
    private var recordURL: URL { url.appending(path: ".sent.json") }

    init(_ url: URL) {
        self.url = url
    }

    /// Files that were not sent, or have changed since, by their names.
    func newFiles() -> [File] {
        let sent = record()
        let names = (try? FileManager.default.contentsOfDirectory(atPath: url.path)) ?? []
        return names.filter { !$0.hasPrefix(".") }.sorted().compactMap(file)
            .filter { sent[$0.name] != $0.stamp }
    }

    /// Remembers that the server has a file as it was when it was found.
    func markSent(_ file: File) {
        var sent = record()
        sent[file.name] = file.stamp
        try? JSONEncoder().encode(sent).write(to: recordURL, options: .atomic)
    }

    private func record() -> [String: Stamp] {
        let data = try? Data(contentsOf: recordURL)
        return data.flatMap { try? JSONDecoder().decode([String: Stamp].self, from: $0) } ?? [:]
    }

    private func file(_ name: String) -> File? {
        let url = url.appending(path: name)
        guard let attributes = try? FileManager.default.attributesOfItem(atPath: url.path),
            attributes[.type] as? FileAttributeType == .typeRegular,
            let size = attributes[.size] as? NSNumber,
            let modified = attributes[.modificationDate] as? Date
        else { return nil }
        return File(
            name: name, url: url, stamp: Stamp(size: size.int64Value, modified: modified))
    }
}
