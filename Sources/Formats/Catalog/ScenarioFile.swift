import LinkModel
import ProfileFormat
import Scenarios

/// Reads scenario files.
enum ScenarioFile {
    /// Enough for thousands of events, far below the available memory.
    private static let sizeLimit = 1024 * 1024
    /// Larger files are still recognised up to this size, so that the error speaks of a scenario.
    private static let recognitionLimit = 16 * sizeLimit

    /// Whether a line of `file` begins like a scenario; the scenario may contain errors.
    static func isScenario(_ file: String) -> Bool {
        guard
            let text = try? ProfileFile.text(
                of: file, kind: "scenario", sizeLimit: recognitionLimit)
        else { return false }
        return text.split(whereSeparator: \.isNewline).contains { line in
            ["interfaces:", "timeline:"].contains { line.hasPrefix($0) }
        }
    }

    /// Reads the scenario in `file`.
    static func read(
        _ file: String, _ catalog: ProfileCatalog
    ) throws(ProfileFileError) -> ScenarioCatalog.Entry {
        let text = try ProfileFile.text(of: file, kind: "scenario", sizeLimit: sizeLimit)
        return try entry(
            of: text, name: ProfileFile.title(of: file), file: file, catalog: catalog)
    }

    /// The scenario in `text`; errors refer to it as `name`.
    static func entry(
        of text: String, name: String, file: String?, catalog: ProfileCatalog
    ) throws(ProfileFileError) -> ScenarioCatalog.Entry {
        do throws(ProfileError) {
            let scenario = try ScenarioReader.scenario(from: text, file: name) { profile in
                // Paths in a file are relative to its directory.
                let path =
                    file.flatMap { file in
                        ProfileCatalog.isPath(profile)
                            ? ProfileFile.path(of: profile, besides: file) : nil
                    } ?? profile
                return try catalog.entry(named: path).profile
            } path: { path in
                file.map { ProfileFile.path(of: path, besides: $0) } ?? path
            }
            return ScenarioCatalog.Entry(scenario: scenario, file: file, text: text)
        } catch {
            throw .malformed(error)
        }
    }
}
