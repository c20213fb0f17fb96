import FoundationEssentials
import Glibc
import HostAPI
import LinuxKernel

/// Where sessions outlive the server, so that a page goes on when it is back.
///
/// The file is in the directory of runtime state, which only its owner can open, and gone after a
/// reboot.
struct SessionFile: Sendable {
    private let path: String?

    /// The file of servers at a port; without a directory for it, sessions end with the server.
    init(port: Int) {
        path = (try? StateDirectory()).map { "\($0.path)/panel-\(port)" }
    }

    /// The sessions of the server before.
    var sessions: [Session] {
        guard let path, let text = try? SmallFile.read(path) else { return [] }
        return text.split(separator: "\n").compactMap { line in
            let words = line.split(separator: " ")
            guard words.count == 2, let until = Int64(words[1]) else { return nil }
            return Session(id: String(words[0]), until: until)
        }
    }

    /// Replaces the sessions of the file.
    func save(_ sessions: [Session]) {
        guard let path else { return }
        let text = sessions.map { "\($0.id) \($0.until)\n" }.joined()
        // Secrets: nobody else may ever read them.
        umask(0o077)
        do {
            try Data(text.utf8).write(to: URL(filePath: path), options: .atomic)
        } catch {
            // Sessions then end with this server.
        }
    }
}
