import Catalog
import LinkModel
import Matrix
import UserCatalog

/// The user's profiles and scenarios, for a matrix file.
struct CatalogNames: MatrixNames {
    /// The profiles of the options, if those replace the profiles of the file.
    let chosen: [String]?
    private let catalog = UserCatalog.profiles

    init(chosen: [String]?) { self.chosen = chosen }

    func profileID(_ name: String) throws -> String { try catalog.entry(named: name).profile.id }

    func profiles(ofFamily family: String) throws -> [String] {
        try ProfileCatalog.entries(of: family, among: catalog.all().entries).map(\.profile.id)
    }

    func scenarios(_ source: String) throws -> [MatrixScenario] {
        try MatrixScenarios.found(source)
    }

    func check(settings: [String], of profiles: [String]) throws {
        let profiles = chosen ?? profiles
        // Without a profile, only the syntax can be wrong.
        for profile in profiles.isEmpty ? [MatrixSpecification.baseline] : profiles {
            guard let problem = try problem(of: settings, with: profile) else { continue }
            let isOfProfile =
                try problem
                != self.problem(
                    of: settings, with: MatrixSpecification.baseline)
            throw UsageError(description: problem + (isOfProfile ? " (with \(profile))" : ""))
        }
    }

    private func problem(of settings: [String], with profile: String) throws -> String? {
        let profile = try catalog.entry(named: profile).profile
        do throws(UsageError) {
            _ = try profile.conditions(changedBy: settings, option: "")
            return nil
        } catch {
            return String(error.description.drop { ": ".contains($0) })
        }
    }
}
