// swift-tools-version: 6.2
import PackageDescription

let swiftSettings: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .strictMemorySafety(),
    .treatAllWarnings(as: .error),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
]

let argumentParser = Target.Dependency.product(
    name: "ArgumentParser", package: "swift-argument-parser")
let deque = Target.Dependency.product(name: "DequeModule", package: "swift-collections")
let subprocess = Target.Dependency.product(name: "Subprocess", package: "swift-subprocess")
let systemPackage = Target.Dependency.product(name: "SystemPackage", package: "swift-system")
let yams = Target.Dependency.product(name: "Yams", package: "Yams")

// One file that runs on every Linux, when Scripts/lib/build.sh builds it. Other packages may not
// depend on targets with unsafe flags, as those do that use the plugin.
let staticLinking: [LinkerSetting] =
    Context.environment["LINKCOND_STATIC"] == nil ? [] : [.unsafeFlags(["-static-executable"])]

func module(
    _ name: String, _ dependencies: [Target.Dependency] = [], resources: [Resource]? = nil,
    plugins: [Target.PluginUsage] = []
) -> Target {
    .target(
        name: name, dependencies: dependencies, resources: resources, swiftSettings: swiftSettings,
        plugins: plugins)
}

func tests(
    of name: String, _ dependencies: [Target.Dependency] = [], exclude: [String] = []
) -> Target {
    .testTarget(
        name: name + "Tests", dependencies: dependencies, exclude: exclude,
        swiftSettings: swiftSettings)
}

let package = Package(
    name: "linkcond",
    products: [
        .executable(name: "linkcond", targets: ["linkcond"]),
        .plugin(name: "LinkcondPlugin", targets: ["LinkcondPlugin"]),
        .library(name: "NetworkPath", targets: ["NetworkPath"]),
        .library(name: "NetworkPathSession", targets: ["NetworkPathSession"]),
        .executable(name: "linkcond-bus", targets: ["LinkcondBus"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-collections", from: "1.6.0"),
        .package(url: "https://github.com/apple/swift-system", from: "1.8.1"),
        .package(url: "https://github.com/jpsim/Yams", from: "6.2.2"),
        .package(url: "https://github.com/swiftlang/swift-subprocess", from: "1.0.2"),
    ],
    targets: [
        // What a link is: values without any system.
        module("LinkUnits"),
        module("LinkModel", ["LinkUnits"]),

        // The catalogue: YAML files, turned into Swift values when linkcond is built.
        module("ProfileFormat", ["LinkModel", "LinkUnits", yams]),
        .executableTarget(
            name: "CatalogCompiler",
            dependencies: [
                "ScenarioFormat", "Scenarios", "ProfileFormat", "LinkModel", "LinkUnits",
            ],
            swiftSettings: swiftSettings),
        .plugin(
            name: "CompileCatalog", capability: .buildTool(), dependencies: ["CatalogCompiler"]),
        module(
            "ProfileCatalog",
            [
                "ScenarioFormat", "Scenarios", "ProfileFormat", "LinkModel", "LinkUnits",
                systemPackage,
            ],
            plugins: ["CompileCatalog"]),

        // The emulation of a link packet by packet: no clock, no descriptors, no threads.
        module("PacketEngine", ["LinkModel", "LinkUnits", deque]),

        // What happens to a network and an app over time: values without any system.
        module("Scenarios", ["PacketEngine", "LinkModel", "LinkUnits"]),
        module(
            "ScenarioFormat", ["Scenarios", "ProfileFormat", "LinkModel", "LinkUnits", yams]),

        // Delivery traces: made up, measured, and what they are like.
        module("DeliveryTraces", ["PacketEngine", "LinkUnits"]),

        // What other tools say about links, as profiles.
        module("ProfileImport", ["ProfileFormat", "PacketEngine", "LinkModel", "LinkUnits"]),

        // Mechanisms of the kernel. The only modules that call C.
        .target(name: "CLinux"),
        .systemLibrary(
            name: "CNetlink", pkgConfig: "libnl-route-3.0",
            providers: [.apt(["libnl-3-dev", "libnl-route-3-dev"])]),
        module("LinuxKernel", ["CLinux", systemPackage]),
        module("Netlink", ["LinuxKernel", "CNetlink", systemPackage]),
        // What an app under test sees of the network: a library of its own.
        module("NetworkPath", ["Netlink", "LinuxKernel", systemPackage]),
        // URLSession that heeds it. Links full Foundation, so nothing of linkcond depends on it.
        module("NetworkPathSession", ["NetworkPath", systemPackage]),

        module("TrafficControl", ["Netlink", "LinkUnits", "CNetlink", systemPackage]),

        // What `linkcond override` says of interfaces.
        module("NetworkOverride", ["NetworkPath", "Netlink", "LinuxKernel", systemPackage]),

        // The emulation between two interfaces, in real time.
        module(
            "PacketLoop",
            ["PacketEngine", "LinkModel", "LinkUnits", "LinuxKernel", systemPackage]),

        // What is written down of a run: captures, logs, statistics.
        module(
            "Evidence",
            ["PacketLoop", "PacketEngine", "LinkModel", "LinkUnits", "LinuxKernel", systemPackage]),

        // How the connections of an app use several interfaces at once.
        module("Multipath", ["Scenarios", "Netlink", "LinuxKernel", systemPackage]),

        // How the far side of a sandbox reaches the host's network.
        module("Uplink", ["Netlink", "LinuxKernel", systemPackage]),

        // Whose network is meant: names, processes, containers.
        module("Targets", ["LinuxKernel", systemPackage]),

        // XML of others: libexpat, and nothing else that is C.
        .systemLibrary(name: "CExpat", pkgConfig: "expat", providers: [.apt(["libexpat1-dev"])]),
        module("XMLReading", ["CExpat"]),

        // What linkcond does with them.
        module(
            "Conditioner",
            ["TrafficControl", "Netlink", "LinuxKernel", "LinkModel", "LinkUnits", systemPackage]),
        module(
            "Verification",
            ["Conditioner", "LinuxKernel", "LinkModel", "LinkUnits", systemPackage]),
        module(
            "Sandbox",
            [
                "Multipath", "Scenarios", "Uplink", "Evidence", "Conditioner", "PacketLoop",
                "PacketEngine", "TrafficControl", "NetworkOverride", "NetworkPath", "Netlink",
                "LinuxKernel", "LinkModel", "LinkUnits", systemPackage,
            ]),
        module(
            "EngineService",
            [
                "Evidence", "PacketLoop", "PacketEngine", "TrafficControl", "Netlink",
                "LinuxKernel", "LinkModel", "LinkUnits", systemPackage,
            ]),
        module(
            "DataPlanes",
            [
                "EngineService", "Conditioner", "TrafficControl", "Netlink", "LinuxKernel",
                "LinkModel", systemPackage,
            ]),
        // What people see of it: markup without holes, numbers, plots.
        module(
            "Plots", ["Evidence", "DeliveryTraces", "PacketEngine", "LinkUnits"],
            resources: [.embedInCode("Resources/plot.css")]),

        // A command over many profiles: cells, what is expected of them, and the report.
        module(
            "Matrix",
            [
                "Plots", "Evidence", "ProfileFormat", "LinkModel", "LinkUnits", "LinuxKernel",
                "XMLReading", systemPackage, yams,
            ],
            // Part of the program, so that it stays one file.
            resources: [
                .embedInCode("Reports/Resources/policy.txt"),
                .embedInCode("Reports/Resources/report.css"),
                .embedInCode("Reports/Resources/report.js"),
            ]),
        .executableTarget(
            name: "linkcond",
            dependencies: [
                "Matrix", "Plots", "Multipath", "DeliveryTraces", "PacketLoop", "PacketEngine",
                "DataPlanes", "EngineService", "Verification", "Sandbox", "Evidence",
                "Conditioner", "NetworkOverride", "NetworkPath", "ProfileCatalog",
                "ProfileFormat", "ProfileImport", "Scenarios", "Targets", "LinkModel",
                "LinkUnits", "LinuxKernel", "Netlink", "TrafficControl", argumentParser,
                systemPackage,
            ],
            swiftSettings: swiftSettings,
            linkerSettings: staticLinking),

        // What programs see over D-Bus: a program of its own, since libsystemd is only there to be
        // linked dynamically.
        .systemLibrary(
            name: "CSystemd", pkgConfig: "libsystemd", providers: [.apt(["libsystemd-dev"])]),
        module("Bus", ["CSystemd", systemPackage]),
        module("NetworkFacade", ["Bus"]),
        .executableTarget(
            name: "LinkcondBus",
            dependencies: [
                "NetworkFacade", "Bus", "NetworkPath", "Netlink", "LinuxKernel", systemPackage,
            ],
            swiftSettings: swiftSettings),

        // swift package linkcond test, for packages that depend on this one.
        .plugin(
            name: "LinkcondPlugin",
            capability: .command(
                intent: .custom(
                    verb: "linkcond", description: "Run the tests once per network profile.")),
            dependencies: ["linkcond"]),

        // What tests of several modules need: processes, goldens, seeds.
        .target(
            name: "LinkTesting",
            dependencies: [
                "Conditioner", "Netlink", "LinuxKernel", "LinkModel", "LinkUnits", subprocess,
                systemPackage,
            ],
            path: "Tests/LinkTesting", swiftSettings: swiftSettings),
        // A packet loop and a meter as a program, for tests and benches.
        .executableTarget(
            name: "PacketLoopProbe",
            dependencies: [
                "PacketLoop", "PacketEngine", "ProfileFormat", "LinuxKernel", "LinkModel",
                "LinkUnits",
            ],
            path: "Tests/PacketLoopProbe", swiftSettings: swiftSettings),
        // An app that uses NetworkPathSession, for tests.
        .executableTarget(
            name: "NetworkSessionProbe", dependencies: ["NetworkPathSession"],
            path: "Tests/NetworkSessionProbe", swiftSettings: swiftSettings),
        // Apps that use both, to learn from. Part of this package, so that CI need not build its
        // libraries a second time.
        .executableTarget(
            name: "sync-when-free", dependencies: ["NetworkPath", "NetworkPathSession"],
            path: "Examples/sync-when-free", swiftSettings: swiftSettings),
        .executableTarget(
            name: "prefetch-assets", dependencies: ["NetworkPathSession"],
            path: "Examples/prefetch-assets", swiftSettings: swiftSettings),
        tests(of: "LinkTesting", ["LinkTesting"]),
        tests(of: "LinkUnits", ["LinkUnits", "LinkTesting"]),
        tests(of: "LinkModel", ["LinkModel", "LinkUnits", "LinkTesting"]),
        tests(
            of: "PacketEngine", ["PacketEngine", "LinkModel", "LinkUnits", "LinkTesting"],
            exclude: ["Goldens"]),
        // Depends on the program, so that it is built before the tests run it.
        tests(
            of: "PacketLoop",
            [
                "PacketLoop", "PacketLoopProbe", "PacketEngine", "LinuxKernel", "LinkModel",
                "LinkUnits", "LinkTesting", systemPackage,
            ]),
        tests(
            of: "Evidence",
            [
                "Evidence", "PacketLoop", "PacketEngine", "LinuxKernel", "LinkModel", "LinkUnits",
                "LinkTesting", systemPackage,
            ], exclude: ["Goldens"]),
        tests(
            of: "DeliveryTraces",
            ["DeliveryTraces", "PacketEngine", "LinkModel", "LinkUnits", "LinkTesting"]),
        tests(
            of: "Plots",
            [
                "Plots", "Evidence", "PacketEngine", "XMLReading", "LinkModel", "LinkUnits",
                "LinkTesting",
            ],
            exclude: ["Goldens"]),
        tests(
            of: "Matrix",
            [
                "Matrix", "Plots", "Evidence", "ProfileFormat", "LinkModel", "LinkUnits",
                "LinuxKernel", "LinkTesting", systemPackage, yams,
            ]),
        tests(of: "Scenarios", ["Scenarios", "LinkModel", "LinkUnits", "LinkTesting"]),
        tests(
            of: "ScenarioFormat",
            [
                "ScenarioFormat", "Scenarios", "ProfileFormat", "LinkModel", "LinkUnits",
                "LinkTesting",
            ]),
        tests(of: "ProfileFormat", ["ProfileFormat", "LinkModel", "LinkUnits", "LinkTesting"]),
        tests(
            of: "ProfileImport",
            [
                "ProfileImport", "ProfileFormat", "LinkModel", "LinkUnits", "LinkTesting",
            ], exclude: ["Fixtures", "Goldens"]),
        tests(
            of: "ProfileCatalog",
            [
                "ProfileCatalog", "Scenarios", "ProfileFormat", "LinkModel", "LinkUnits",
                "LinkTesting",
            ]),
        // Depends on the program, so that it is built before the tests run it.
        tests(
            of: "CommandLine",
            [
                "linkcond", "Matrix", "ProfileCatalog", "ProfileFormat", "LinkModel",
                "LinkTesting", argumentParser, systemPackage,
            ], exclude: ["Goldens"]),
        tests(
            of: "Multipath",
            ["Multipath", "Scenarios", "Netlink", "LinuxKernel", "LinkTesting", systemPackage]),
        tests(of: "LinuxKernel", ["LinuxKernel", "LinkTesting", systemPackage]),
        tests(of: "Targets", ["Targets", "LinuxKernel", "LinkTesting"]),
        tests(
            of: "Sandbox",
            ["Sandbox", "NetworkPath", "Netlink", "LinuxKernel", "LinkModel", "LinkTesting"]),
        tests(
            of: "SandboxKernel",
            [
                "Sandbox", "Conditioner", "Evidence", "NetworkPath", "Netlink", "LinuxKernel",
                "LinkModel", "LinkUnits", "LinkTesting", systemPackage,
            ]),
        tests(
            of: "EngineService",
            [
                "EngineService", "DataPlanes", "PacketLoop", "PacketEngine", "TrafficControl",
                "Netlink", "LinuxKernel", "LinkModel", "LinkUnits", "LinkTesting", systemPackage,
            ]),
        tests(of: "NetworkFacade", ["NetworkFacade", "Bus", "LinkTesting"]),
        // Real programs in network namespaces, on this kernel and in the kernel lab.
        tests(
            of: "Integration",
            [
                "linkcond", "LinkcondBus", "Matrix", "Evidence", "Verification", "Conditioner",
                "NetworkPathSession", "LinkModel", "LinkUnits", "LinuxKernel", "LinkTesting",
            ], exclude: ["Fixtures"]),
        tests(
            of: "NetworkPath",
            ["NetworkPath", "Netlink", "LinuxKernel", "LinkTesting", systemPackage]),
        // Depends on the program, so that it is built before the tests run it.
        tests(
            of: "NetworkPathSession",
            [
                "NetworkPathSession", "NetworkSessionProbe", "NetworkPath", "LinkTesting",
            ], exclude: ["Fixtures"]),
        // Depends on the programs, so that they are built before the tests run them.
        tests(
            of: "Example", ["linkcond", "sync-when-free", "prefetch-assets", "LinkTesting"],
            exclude: ["Fixtures"]),
        tests(
            of: "NetworkOverride",
            ["NetworkOverride", "NetworkPath", "Netlink", "LinuxKernel", "LinkTesting"]),
        tests(of: "XMLReading", ["XMLReading", "LinkTesting"]),
        // The reports that people and CI engines read, in a real browser and by the real schema.
        tests(
            of: "MatrixReport",
            [
                "Matrix", "Plots", "XMLReading", "Evidence", "LinkModel", "LinkUnits",
                "LinkTesting", systemPackage,
            ], exclude: ["Goldens", "Fixtures"]),
        tests(of: "Netlink", ["Netlink", "LinkTesting", systemPackage], exclude: ["Goldens"]),
        tests(
            of: "TrafficControl",
            ["TrafficControl", "Netlink", "LinkUnits", "LinkTesting", systemPackage],
            exclude: ["Goldens"]),
        tests(
            of: "TrafficControlKernel",
            [
                "Conditioner", "TrafficControl", "Netlink", "LinkUnits", "LinkTesting",
                systemPackage,
            ]),
        tests(
            of: "Conditioner",
            [
                "Conditioner", "TrafficControl", "Netlink", "LinuxKernel", "LinkModel",
                "LinkUnits", "LinkTesting", systemPackage,
            ], exclude: ["Goldens"]),
        tests(
            of: "Verification",
            [
                "Verification", "ProfileCatalog", "Conditioner", "LinuxKernel", "LinkModel",
                "LinkUnits", "LinkTesting",
            ]),
        // The relay between real programs in network namespaces.
        tests(
            of: "Uplink", ["Uplink", "Netlink", "LinuxKernel", "LinkTesting", systemPackage],
            exclude: ["Fixtures", "Goldens"]),
        tests(
            of: "ConditionerKernel",
            [
                "Conditioner", "ProfileCatalog", "TrafficControl", "Netlink", "LinuxKernel",
                "LinkModel", "LinkUnits", "LinkTesting", systemPackage,
            ]),
    ]
)

// The plugin's tool is linkcond, which has to be built once more for it, with all its modules. What
// builds the tests, which never ask for the plugin, does without. See Scripts/test.
if Context.environment["LINKCOND_NO_PLUGIN"] != nil {
    package.products.removeAll { $0.name == "LinkcondPlugin" }
    package.targets.removeAll { $0.name == "LinkcondPlugin" }
}

// libFuzzer needs its own flags in every module, and would fight with the build plugin. See
// Scripts/fuzz.
if Context.environment["LINKCOND_FUZZ"] != nil {
    let fuzzed = [
        "LinkUnits", "LinkModel", "ProfileFormat", "Scenarios", "ScenarioFormat", "PacketEngine",
        "DeliveryTraces", "ProfileImport", "CLinux", "LinuxKernel", "CNetlink", "Netlink",
        "NetworkPath", "TrafficControl", "PacketLoop", "Evidence", "Uplink", "Conditioner",
        "EngineService", "DataPlanes", "CExpat", "XMLReading", "Plots", "Matrix",
    ]
    package.products = []
    package.targets.removeAll { !fuzzed.contains($0.name) }
    for target in package.targets {
        target.swiftSettings?.append(.unsafeFlags(["-sanitize=fuzzer", "-enable-testing"]))
    }
    package.targets.append(
        .executableTarget(
            name: "Fuzz",
            dependencies: package.targets.filter { $0.type != .system && $0.name != "CLinux" }
                .map { .init(stringLiteral: $0.name) },
            path: "Tests/Fuzz", exclude: ["Corpus"],
            swiftSettings: swiftSettings + [
                .unsafeFlags(["-parse-as-library", "-sanitize=fuzzer"])
            ],
            linkerSettings: [.unsafeFlags(["-sanitize=fuzzer", "-use-ld=lld"])]))
}
