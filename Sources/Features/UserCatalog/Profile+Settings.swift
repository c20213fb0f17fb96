public import LinkModel
import ProfileFormat

extension Profile {
    /// The conditions with the changes of `settings`, such as `down.loss=2%`, if the result is
    /// sound.
    ///
    /// - Parameter option: The option with the settings.
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
        // The profile alone is sound, or it would have been rejected earlier.
        if let problem = conditions.problem {
            throw UsageError(description: "\(option): \(problem)")
        }
        return conditions
    }
}
