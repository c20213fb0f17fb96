import LinkModel
import LinkUnits
import ProfileFormat
import YAMLReading

/// What a file runs, and what it says of single profiles and scenarios.
extension MatrixFileReader {
    /// Reads the profiles and families; the baseline among them is treated specially.
    mutating func readProfiles(into file: inout MatrixFile) throws(ProfileError) {
        if let node = fields.node("profiles") {
            guard case .sequence(let sequence) = node else {
                throw fields.error("profiles", "has to be a list, such as [LTE, 3G]")
            }
            guard !sequence.isEmpty else {
                throw fields.error("profiles", "is empty; name some, such as [LTE, 3G]")
            }
            file.profiles = []
            for element in sequence { try readProfile(element, into: &file) }
        }
        for (node, family) in try elements("family", example: "[apple]") {
            for name in try resolve(node, "family", { try names.profiles(ofFamily: family) }) {
                let id = try resolve(node, "family") { try names.profileID(name) }
                guard profiles[id] == nil else { continue }
                profiles[id] = name
                file.profiles = (file.profiles ?? []) + [name]
            }
        }
    }

    private mutating func readProfile(
        _ node: YAMLNode, into file: inout MatrixFile
    ) throws(ProfileError) {
        guard let name = node.string, !name.isEmpty else {
            throw error(node, "profiles", "has to be a list of names, such as [LTE, 3G]")
        }
        let id = try resolve(node, "profiles") { try names.profileID(name) }
        guard profiles.updateValue(name, forKey: id) == nil else {
            throw error(node, "profiles", "\(name) is given twice; keep one")
        }
        if NameMatching.normalized(name) == MatrixSpecification.baseline {
            profiles[id] = MatrixSpecification.baseline
            file.hasBaseline = true
        } else {
            file.profiles?.append(name)
        }
    }

    /// Reads the scenarios: names, files and directories of files.
    func readScenarios(into file: inout MatrixFile) throws(ProfileError) {
        var scenarios: [MatrixScenario] = []
        for (node, source) in try elements("scenarios", example: "[commute]") {
            for scenario in try resolve(node, "scenarios", { try names.scenarios(source) }) {
                guard !scenarios.contains(where: { $0.name == scenario.name }) else {
                    throw error(node, "scenarios", "\(scenario.name) is given twice; keep one")
                }
                scenarios.append(scenario)
            }
        }
        if !scenarios.isEmpty { file.scenarios = scenarios }
    }

    /// Reads the settings of single profiles and scenarios.
    func readByProfile(into file: inout MatrixFile) throws(ProfileError) {
        if let node = fields.node("expect") {
            for (key, value) in try mapping(node, "expect", example: "{ 3G: { exit: nonzero } }") {
                if key.string == "default" {
                    file.defaultExpectations = try expectations(
                        value, "expect.default", of: file.profiles ?? [])
                } else {
                    let (name, isScenario) = try subject(key, "expect", file)
                    let expectations = try expectations(
                        value, "expect.\(name)", of: isScenario ? [] : [name])
                    guard expectations.survives == nil || !isScenario else {
                        throw error(
                            key, "expect.\(name).survives",
                            "\(name) is a scenario; only profiles have fields to change")
                    }
                    guard expectations.survives == nil || name != MatrixSpecification.baseline
                    else {
                        throw error(
                            key, "expect.\(name).survives",
                            "the baseline has no conditions; write it for a profile")
                    }
                    file.expectations[name] = expectations
                }
            }
        }
        if let node = fields.node("override") {
            let example = "{ 3G: { constrained: true } }"
            for (key, value) in try mapping(node, "override", example: example) {
                let (name, isScenario) = try subject(key, "override", file)
                guard !isScenario else {
                    throw error(key, "override", "\(name) is a scenario, which overrides by itself")
                }
                file.network.overrides[name] = try override(
                    FieldReader(
                        value, file: fields.file, path: "override.\(name)",
                        known: Self.overrideKeys))
            }
        }
        try readTimeLimits(into: &file)
    }

    private func readTimeLimits(into file: inout MatrixFile) throws(ProfileError) {
        guard let node = fields.node("timeout") else { return }
        guard case .mapping = node else {
            file.timeLimit = try fields.quantity("timeout", Duration.init(parsing:))
            return
        }
        for (key, value) in try mapping(node, "timeout", example: "5 min") {
            let limit = try duration(value, "timeout.\(key.string ?? "")")
            if key.string == "default" {
                file.timeLimit = limit
            } else {
                file.timeLimits[try subject(key, "timeout", file).name] = limit
            }
        }
    }

    /// The name in `profiles` or `scenarios` of what `key` refers to.
    private func subject(
        _ key: YAMLNode, _ path: String, _ file: MatrixFile
    ) throws(ProfileError) -> (name: String, isScenario: Bool) {
        guard let name = key.string else {
            throw error(key, path, "a key has to be the name of a profile or scenario")
        }
        if NameMatching.normalized(name) == MatrixSpecification.baseline {
            return (MatrixSpecification.baseline, false)
        }
        if file.scenarios?.contains(where: { $0.name == name }) == true { return (name, true) }
        let isOpen = file.profiles == nil && file.scenarios == nil
        let known: (name: String, isScenario: Bool)?
        do {
            let id = try names.profileID(name)
            known = isOpen ? (name, false) : profiles[id].map { ($0, false) }
        } catch {
            // A directory of scenarios is no name of one.
            guard let found = try? names.scenarios(name), found.count == 1 else {
                throw self.error(key, path, "\(error)")
            }
            let isKnown = isOpen || file.scenarios?.contains { $0.name == found[0].name } == true
            known = isKnown ? (found[0].name, true) : nil
        }
        guard let known else {
            let all = file.scenarios == nil ? "profiles" : "profiles and scenarios"
            throw error(key, "\(path).\(name)", "is not among the \(all) of this file")
        }
        return known
    }

    private func resolve<Value>(
        _ node: YAMLNode, _ path: String, _ look: () throws -> Value
    ) throws(ProfileError) -> Value {
        do {
            return try look()
        } catch {
            throw self.error(node, path, "\(error)")
        }
    }
}
