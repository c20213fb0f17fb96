import Catalog
import Foundation
import LinkModel
import LinkTesting
import ProfileFormat
import Testing

@Suite("Built-in profiles", .tags(.unit))
struct BuiltInProfileTests {
    private let catalog = ProfileCatalog(directories: [])

    @Test("They have the values of the YAML files")
    func values() throws {
        let directory = URL(filePath: BuiltProduct.packageDirectory).appending(path: "Profiles")
        let paths = try FileManager.default.subpathsOfDirectory(atPath: directory.path)
        var profiles: [String: Profile] = [:]
        for path in paths where path.hasSuffix(".yaml") && !path.hasPrefix("scenarios/") {
            let data = try Data(contentsOf: directory.appending(path: path))
            let profile = try ProfileReader.profile(
                from: String(decoding: data, as: UTF8.self), file: path)
            #expect(profiles.updateValue(profile, forKey: profile.id) == nil, "\(path)")
        }
        #expect(profiles.count >= 80)
        let builtIn = Dictionary(uniqueKeysWithValues: ProfileCatalog.builtIn.map { ($0.id, $0) })
        #expect(builtIn == profiles)
    }

    @Test("They are sound, and say what they are and where their numbers come from")
    func soundness() {
        for profile in ProfileCatalog.builtIn {
            #expect(profile.conditions.problem == nil, "\(profile.id)")
            #expect(!profile.summary.isEmpty && !profile.source.isEmpty, "\(profile.id)")
        }
    }

    @Test("Each does something to packets, but for the one to compare them with")
    func effect() {
        for profile in ProfileCatalog.builtIn {
            let isReference = profile.id == "reference/Baseline"
            #expect((profile.conditions == LinkConditions()) == isReference, "\(profile.id)")
        }
    }

    @Test(
        "The names of the design card mean what they say",
        arguments: [
            ("LTE", "apple/LTE"), ("3G", "apple/3G"), ("Edge", "apple/Edge"),
            ("high-loss", "apple/Very-Bad-Network"), ("very-bad-network", "apple/Very-Bad-Network"),
            ("wifi", "apple/Wi-Fi"), ("WiFi", "apple/Wi-Fi"), ("dsl", "apple/DSL"),
            ("100%-loss", "apple/100%-Loss"), ("100% Loss", "apple/100%-Loss"),
            ("apple/LTE", "apple/LTE"), ("lte", "apple/LTE"), ("EDGE", "apple/Edge"),
            ("very bad network", "apple/Very-Bad-Network"),
            ("Very_Bad_Network", "apple/Very-Bad-Network"),
            ("APPLE/very bad network", "apple/Very-Bad-Network"),
            ("webpagetest/lte", "webpagetest/LTE"), ("android/EDGE", "android/EDGE"),
            ("fast-3g", "chrome/Slow-4G"), ("high latency dns", "apple/High-Latency-DNS"),
        ])
    func names(name: String, id: String) throws {
        let entry = try catalog.entry(named: name)
        #expect(entry.profile.id == id)
        #expect(entry.file == nil)
    }

    @Test("Every id, and every alias, leads to its profile")
    func everyName() throws {
        for profile in ProfileCatalog.builtIn {
            for name in [profile.id] + profile.aliases {
                #expect(try catalog.entry(named: name).profile.id == profile.id, "\(name)")
            }
        }
    }

    @Test(
        "A mistyped name brings the nearest one",
        arguments: [
            ("LTEE", "LTEE: no such profile; did you mean LTE?"),
            ("hgih-loss", "hgih-loss: no such profile; did you mean high-loss?"),
            ("aple/LTE", "aple/LTE: no such profile; did you mean apple/LTE?"),
            (
                "nothing like that at all",
                "nothing like that at all: no such profile; linkcond list shows them"
            ),
            ("", ": no such profile; linkcond list shows them"),
        ])
    func unknown(name: String, message: String) {
        let error = #expect(throws: CatalogError.self) { try catalog.entry(named: name) }
        #expect(error?.description == message)
    }
}
