import Foundation
import Synchronization

/// The notes of the person who is signed in.
final class NoteFolder: Sendable {
    /// A note as it is at one moment.
    struct Note: Sendable {
        let name: String
        let text: Data
    }

    private let url: URL
    /// The notes as the server has them.
    private let uploaded = Mutex<[String: Data]>([:])

    init(_ url: URL) {
        self.url = url
        try? FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    /// Notes that are new, or have changed since they were sent.
    func unsentNotes() -> [Note] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: url.path)) ?? []
        return names.sorted().compactMap { name in
            guard let text = try? Data(contentsOf: url.appending(path: name)),
                uploaded.withLock({ $0[name] }) != text
            else { return nil }
            return Note(name: name, text: text)
        }
    }

    /// Remembers that the server has a note.
    func markSent(_ note: Note) { uploaded.withLock { $0[note.name] = note.text } }

    /// Keeps a note of the server, unless there is one of this name.
    func keep(_ note: Note) throws {
        let file = url.appending(path: note.name)
        guard !FileManager.default.fileExists(atPath: file.path) else { return }
        try note.text.write(to: file, options: .atomic)
        markSent(note)
    }

    /// Removes everything.
    func purge() { try? FileManager.default.removeItem(at: url) }
}
