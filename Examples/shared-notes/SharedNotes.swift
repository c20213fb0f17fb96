import Foundation

/// Notes on a tablet that several people share, one after the other.
///
///     ACCOUNT=anna shared-notes URL [--upload-at-exit]
///
/// While somebody is signed in, the notes are in `~/notes`. Each is sent to the server as soon as it
/// is written, so that little is left to send when the person signs out (SIGTERM). Then the notes
/// here are removed; the next tablet fetches them.
///
/// With `--upload-at-exit` it does what an app must not do: it sends nothing before the sign-out. On
/// a slow network the time is not enough. The notes are lost to their owner, and left for the next
/// user of the tablet.
@main
enum SharedNotes {
    /// How often the folder is looked at.
    private static let interval = Duration.milliseconds(100)

    static func main() async {
        let words = CommandLine.arguments.dropFirst()
        let environment = ProcessInfo.processInfo.environment
        guard let server = words.first.flatMap({ URL(string: $0) }), server.host != nil,
            words.dropFirst().allSatisfy({ $0 == "--upload-at-exit" }),
            let account = environment["ACCOUNT"], let home = environment["HOME"]
        else {
            say("usage: ACCOUNT=NAME shared-notes URL [--upload-at-exit]")
            exit(64)
        }
        let signOut = SignOut()
        let folder = NoteFolder(URL(filePath: home).appending(path: "notes"))
        let remote = NoteServer(server.appending(path: account))
        let uploadsAtExit = words.count > 1

        var fetched = await remote.fetch(into: folder)
        say("\(account): signed in")
        while !signOut.isRequested {
            if !fetched { fetched = await remote.fetch(into: folder) }
            if !uploadsAtExit { await remote.upload(folder) }
            try? await Task.sleep(for: interval)
        }
        // What is not on the server must not be removed here.
        while await !remote.upload(folder) { try? await Task.sleep(for: interval) }
        folder.purge()
        say("\(account): signed out, everything is on the server")
    }
}

func say(_ text: String) {
    FileHandle.standardOutput.write(Data((text + "\n").utf8))
}
