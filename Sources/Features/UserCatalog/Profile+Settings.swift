public import LinkModel
import ProfileFormat

extension Profile {
    /// The conditions with the changes of `settings`, such as `down.loss=2%`, if the whole is
    /// sound.
    ///
    /// - Parameter option: what the settings are given by.
    public func conditions(
        changedBy settings: [String], option: String = "--set"
    ) throws(UsageError) -> LinkConditions {
        var conditions = conditions
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
}
