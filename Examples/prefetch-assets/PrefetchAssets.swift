import AssetDownloads
import Foundation

/// Downloads the assets of an app before they are needed: the app, its background extension, and
/// the system that starts the extension.
///
///     prefetch-assets app MANIFEST-URL DIRECTORY [--get NAME]
///     prefetch-assets extension EVENT MANIFEST-URL DIRECTORY
///     prefetch-assets simulate --app-install|--app-update|--periodic MANIFEST-URL DIRECTORY
///     prefetch-assets simulate --terminate DIRECTORY
@main
enum PrefetchAssets {
    static func main() async {
        let code: Int32
        do {
            let words = try CommandWords(Array(CommandLine.arguments.dropFirst()))
            switch words.verb {
            case .app: code = try await AppProgram(words).run()
            case .extension: code = try await ExtensionProgram(words).run()
            case .simulate: code = try simulate(words)
            }
        } catch let error as CommandWords.Problem {
            complain("\(error.description)\n\(CommandWords.usage)")
            code = 64
        } catch AssetError.busy(let holder) {
            complain("\(AssetError.busy(holder: holder))")
            code = 75
        } catch AssetError.leaseLost {
            complain("\(AssetError.leaseLost)")
            code = 75
        } catch {
            complain("\(error)")
            code = 1
        }
        exit(code)
    }

    /// Plays the system, as `xcrun backgroundassets-debug` does.
    private static func simulate(_ words: CommandWords) throws -> Int32 {
        guard let event = words.event else {
            guard let outcome = try ExtensionProcess.terminate(AssetStore(words.directory)) else {
                complain("no process works on \(words.directory.path)")
                return 1
            }
            say("\(outcome.text)")
            return 0
        }
        var limits = ExtensionProcess.Limits()
        if let time = words.seconds["--time"] { limits.time = .seconds(time) }
        if let grace = words.seconds["--grace"] { limits.grace = .seconds(grace) }
        if let memory = words.seconds["--memory"] { limits.memory = Int64(memory * 1e6) }
        // Through the link, since the program may be looked up in PATH.
        let outcome = try ExtensionProcess.run(
            "/proc/self/exe", ["extension", event.rawValue] + words.passedOn, limits: limits)
        say("\(event.rawValue): \(outcome.text)")
        guard case .ended(let code) = outcome else { return 1 }
        return code
    }
}

extension ExtensionProcess.Outcome {
    fileprivate var text: String {
        switch self {
        case .ended(let code): "the extension ended with \(code)"
        case .terminated(let reason, _): "\(reason.text), and it ended when asked to"
        case .killed(let reason): "\(reason.text), and it was killed since it did not end"
        }
    }
}

extension ExtensionProcess.Reason {
    fileprivate var text: String {
        switch self {
        case .time: "the extension took too long"
        case .memory: "the extension took too much memory"
        case .request: "the process was to be terminated"
        }
    }
}

func say(_ text: String) {
    FileHandle.standardOutput.write(Data((text + "\n").utf8))
}

func complain(_ text: String) {
    FileHandle.standardError.write(Data("prefetch-assets: \(text)\n".utf8))
}
