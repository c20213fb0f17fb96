import ArgumentParser
import FoundationEssentials
import LinkModel
import ProfileCatalog
import ProfileFormat

/// What all verbs that take a profile have in common.
enum ProfileArgument {
    /// The catalogue of this process: what is built in, and the directories of its user.
    static var catalog: ProfileCatalog {
        let directories = UserDirectories()
        return ProfileCatalog(directories: directories.profiles, owner: directories.owner)
    }

    /// The conditions of `profile` with the changes that `--set` asks for, if the whole is sound.
    static func conditions(
        of profile: Profile, changedBy settings: [String], option: String = "--set"
    ) throws(UsageError) -> LinkConditions {
        var conditions = profile.conditions
        for setting in settings {
            do {
                try ProfileReader.apply(setting: setting, to: &conditions)
            } catch {
                let text = error.description
                throw UsageError(
                    description: text.hasPrefix("--set")
                        ? option + text.dropFirst("--set".count) : text)
            }
        }
        // A profile alone is sound, or it would not have been read.
        if let problem = conditions.problem {
            throw UsageError(description: "\(option): \(problem)")
        }
        return conditions
    }

    /// Completes to the names and aliases of all profiles, blanks as hyphens.
    static let completion = CompletionKind.custom { _, _, _ in names() }

    /// Every name that means a profile, as it can be typed without quotes.
    static func names() -> [String] {
        let names = catalog.all().entries.flatMap { entry in
            [entry.profile.name] + entry.profile.aliases + [entry.profile.id]
        }
        var seen: Set<String> = []
        return names.map { name in String(name.map { $0 == " " ? "-" : $0 }) }
            .filter { seen.insert($0).inserted }
    }
}
