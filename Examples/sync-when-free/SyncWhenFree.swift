import Foundation
import NetworkPath

/// Keeps a copy of a folder's files on a server, without costing what its user wants to save.
///
///     sync-when-free FOLDER URL
///
/// New and changed files are sent (PUT) by themselves as long as the network is not constrained
/// (Low Data Mode); on a constrained one only when the user types "sync now". "quit" ends it.
@main
enum SyncWhenFree {
    static func main() async {
        let words = CommandLine.arguments.dropFirst()
        guard words.count == 2, let folder = words.first,
            let server = words.last.flatMap({ URL(string: $0) }), server.host != nil
        else {
            say("usage: sync-when-free FOLDER URL")
            exit(64)
        }
        let syncer = Syncer(folder: Folder(URL(filePath: folder)), server: server)
        Task {
            for try await path in NetworkPathMonitor() {
                say(path.isConstrained ? "constrained: waiting for \"sync now\"" : "free")
            }
        }
        await syncer.syncByItself()
        for await line in lines() {
            switch line {
            case "sync now": await syncer.syncNow()
            case "quit": return
            default: say("type \"sync now\" or \"quit\"")
            }
        }
        // Without anybody to type it goes on by itself.
        while true { try? await Task.sleep(for: .seconds(3600)) }
    }

    /// What the user types.
    private static func lines() -> AsyncStream<String> {
        AsyncStream { continuation in
            Thread.detachNewThread {
                while let line = readLine() { continuation.yield(line) }
                continuation.finish()
            }
        }
    }
}

func say(_ text: String) {
    FileHandle.standardOutput.write(Data((text + "\n").utf8))
}
