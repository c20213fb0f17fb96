import LinkModel

/// Checks that involve the apps of a scenario and their devices.
struct AppCheck {
    let scenario: Scenario

    func check() throws(ScenarioProblem) {
        var names: Set<String> = []
        for app in scenario.apps {
            guard Self.isName(app.name) else {
                throw problem(app, "", "may have letters, digits, \"-\" and \"_\" and nothing else")
            }
            guard names.insert(app.name).inserted else {
                throw problem(app, "", "is given twice; keep one")
            }
            try checkInterfaces(of: app)
            if app.command != nil, app.launch.arguments != nil {
                throw problem(app, "arguments", "and command contradict each other; leave one out")
            }
            if let flaw = app.launch.flaw { throw problem(app, flaw.field, flaw.explanation) }
        }
        try checkOwners()
    }

    private func problem(
        _ app: ScenarioApp, _ field: String, _ explanation: String
    ) -> ScenarioProblem {
        let path = ["apps", app.name, field].filter { !$0.isEmpty }.joined(separator: ".")
        return ScenarioProblem(line: app.line, field: path, explanation)
    }

    private func checkInterfaces(of app: ScenarioApp) throws(ScenarioProblem) {
        let known = scenario.interfaces.map(\.name)
        guard !app.interfaces.isEmpty else {
            throw problem(
                app, "interfaces", "is missing; write interfaces: [\(known.first ?? "wifi0")]")
        }
        for (index, name) in app.interfaces.enumerated() {
            guard known.contains(name) else {
                let remedy = NameMatching.remedy(for: name, among: known)
                throw problem(app, "interfaces", "\(name): no such interface; \(remedy)")
            }
            guard !app.interfaces.prefix(index).contains(name) else {
                throw problem(app, "interfaces", "\(name) is there twice; leave one out")
            }
        }
    }

    /// Each interface belongs to one device.
    private func checkOwners() throws(ScenarioProblem) {
        guard !scenario.apps.isEmpty else { return }
        for interface in scenario.interfaces {
            let owners = scenario.apps.filter { $0.interfaces.contains(interface.name) }
            if owners.count > 1 {
                throw problem(
                    owners[1], "interfaces",
                    "\(interface.name) belongs to \(owners[0].name) already; give each device an "
                        + "interface of its own")
            }
            guard owners.isEmpty else { continue }
            throw ScenarioProblem(
                line: interface.line, field: "interfaces.\(interface.name)",
                "belongs to no device; add it to the interfaces of one of "
                    + scenario.apps.map(\.name).joined(separator: ", "))
        }
    }

    private static func isName(_ name: String) -> Bool {
        !name.isEmpty
            && name.unicodeScalars.allSatisfy { scalar in
                switch scalar {
                case "a"..."z", "A"..."Z", "0"..."9", "-", "_": true
                default: false
                }
            }
    }
}

extension NameMatching {
    /// What to do about an unknown name.
    static func remedy(for name: String, among known: [String]) -> String {
        suggestion(for: name, among: known).map { "did you mean \($0)?" }
            ?? "this scenario has \(known.joined(separator: ", "))"
    }
}

extension LaunchOptions {
    /// The option that is impossible, and why; nil: none.
    var flaw: (field: String, explanation: String)? {
        for name in environment.keys.sorted() {
            guard !name.isEmpty, !name.contains("="), !name.contains("\0") else {
                return (
                    "environment",
                    "\"\(name)\": the name of a variable has no \"=\"; write NAME: value"
                )
            }
        }
        guard home == nil || environment["HOME"] == nil else {
            return ("environment", "HOME and home contradict each other; leave one out")
        }
        return nil
    }
}
