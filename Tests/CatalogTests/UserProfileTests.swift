import Catalog
import LinkModel
import LinkTesting
import LinkUnits
import Testing

@Suite("Profiles of the user", .tags(.unit))
struct UserProfileTests {
    @Test("Directories are those of the working directory, the user and the host, nearest first")
    func directories() {
        #expect(
            ProfileCatalog.standardDirectories(environment: ["HOME": "/home/me"])
                == [".linkcond", "/home/me/.config/linkcond/profiles", "/etc/linkcond/profiles"])
        #expect(
            ProfileCatalog.standardDirectories(
                environment: ["HOME": "/home/me", "XDG_CONFIG_HOME": "/x"])
                == [".linkcond", "/x/linkcond/profiles", "/etc/linkcond/profiles"])
        #expect(
            ProfileCatalog.standardDirectories(
                environment: ["HOME": "/home/me", "XDG_CONFIG_HOME": ""])
                == [".linkcond", "/home/me/.config/linkcond/profiles", "/etc/linkcond/profiles"])
        #expect(
            ProfileCatalog.standardDirectories(environment: [:])
                == [".linkcond", "/etc/linkcond/profiles"])
    }

    @Test("A profile in a directory is found by its name, whatever its file is called")
    func found() async throws {
        try await withTemporaryDirectory { directory in
            let file = try directory.write(
                "name: My Link\naliases: [mine]\ndown: { delay: 9 ms }\n", to: "x.yaml")
            try directory.write("name: Other\n", to: "y.yml")
            try directory.write("name: No Profile\n", to: "notes.txt")
            let catalog = ProfileCatalog(directories: ["/no/such/directory", directory.path])
            for name in ["My Link", "my-link", "mine", "user/my-link", file] {
                let entry = try catalog.entry(named: name)
                #expect(entry.profile.conditions.down.delay == .milliseconds(9), "\(name)")
                #expect(entry.file == file)
            }
            #expect(try catalog.entry(named: "other").file == directory.path + "/y.yml")
            let (entries, problems) = catalog.all()
            #expect(
                entries.dropFirst(ProfileCatalog.builtIn.count).map(\.profile.name)
                    == ["My Link", "Other"])
            #expect(
                entries.prefix(ProfileCatalog.builtIn.count).map(\.profile)
                    == ProfileCatalog.builtIn)
            #expect(problems.isEmpty)
            let error = #expect(throws: CatalogError.self) { try catalog.entry(named: "my-lnik") }
            #expect(error?.description == "my-lnik: no such profile; did you mean My Link?")
        }
    }

    @Test("A path needs no directory to be known")
    func paths() async throws {
        try await withTemporaryDirectory { directory in
            let file = try directory.write("name: A\n", to: "deep/er/a.yaml")
            let catalog = ProfileCatalog(directories: [])
            #expect(try catalog.entry(named: file).profile.name == "A")
            for name in ["no-extension", "100%25 #?é\u{1b}.yaml", "-x.yml"] {
                let odd = try directory.write("name: B\n", to: name)
                #expect(try catalog.entry(named: odd).profile.name == "B")
            }
        }
    }

    @Test("A built-in profile is not shadowed, and the clash is told")
    func builtInFirst() async throws {
        try await withTemporaryDirectory { directory in
            try directory.write("name: lte\ndown: { delay: 9 ms }\n", to: "a.yaml")
            try directory.write("name: Mine\naliases: [wifi, own]\n", to: "b.yaml")
            try directory.write("name: 3G\nfamily: apple\n", to: "c.yaml")
            let catalog = ProfileCatalog(directories: [directory.path])
            #expect(try catalog.entry(named: "LTE").file == nil)
            #expect(try catalog.entry(named: "user/LTE").file == directory.path + "/a.yaml")
            let clashes = ProfileCatalog.clashes(among: catalog.all().entries)
            #expect(clashes.map(\.name) == ["lte", "wifi", "3G"])
            #expect(clashes.map(\.other.profile.id) == ["apple/LTE", "apple/Wi-Fi", "apple/3G"])
            // The third has a built-in's id as well: only its path is left.
            #expect(
                clashes.map(\.remedy) == ["user/lte", "user/Mine", directory.path + "/c.yaml"])
            for clash in clashes {
                #expect(try catalog.entry(named: clash.remedy) == clash.entry)
            }
        }
    }

    @Test("Of two with one id the nearer directory is meant, and the clash is told")
    func nearestFirst() async throws {
        try await withTemporaryDirectory { directory in
            let near = try directory.write("name: Mine\n", to: "near/a.yaml")
            let far = try directory.write("name: mine\n", to: "far/b.yaml")
            let catalog = ProfileCatalog(
                directories: [directory.path + "/near", directory.path + "/far"])
            #expect(try catalog.entry(named: "mine").file == near)
            #expect(try catalog.entry(named: "user/mine").file == near)
            let clashes = ProfileCatalog.clashes(among: catalog.all().entries)
            #expect(clashes.map(\.remedy) == [far])
            #expect(clashes.map(\.other.file) == [near])
        }
    }

    @Test("A name of two families is ambiguous until a family is named")
    func ambiguity() async throws {
        try await withTemporaryDirectory { directory in
            try directory.write("name: Lab\nfamily: office\n", to: "a.yaml")
            try directory.write("name: Lab\nfamily: home\n", to: "b.yaml")
            let catalog = ProfileCatalog(directories: [directory.path])
            let error = #expect(throws: CatalogError.self) { try catalog.entry(named: "lab") }
            #expect(
                error?.description
                    == "lab: several profiles have this name; choose office/Lab or home/Lab")
            #expect(try catalog.entry(named: "home/lab").profile.family == "home")
        }
    }

    @Test("A broken file is told in the list, and where its name is asked for")
    func brokenFile() async throws {
        try await withTemporaryDirectory { directory in
            let file = try directory.write("name: Mine\ndown: { delay: 50 }\n", to: "my-link.yaml")
            try directory.write("name: Good\n", to: "good.yaml")
            let catalog = ProfileCatalog(directories: [directory.path])
            let message = "\(file):2: down.delay: \"50\" has no unit; write \"50 ms\""
            #expect(catalog.all().problems.map(\.description) == [message])
            #expect(catalog.all().problems.map(\.file) == [file])
            #expect(try catalog.entry(named: "good").profile.name == "Good")
            #expect(try catalog.entry(named: "LTE").profile.id == "apple/LTE")
            for name in ["my-link", "My Link", file] {
                let error = #expect(throws: CatalogError.self) { try catalog.entry(named: name) }
                #expect(error?.description == message)
            }
        }
    }
}
