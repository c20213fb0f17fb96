// swift-tools-version: 6.2
import Foundation
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

/// A library, and the targets that test it: they may import what it may, and `companions`.
func library(
    _ name: String, _ dependencies: [Target.Dependency] = [], tests: [String] = [],
    with companions: [Target.Dependency] = [], resources: [Resource]? = nil,
    plugins: [Target.PluginUsage] = []
) -> [Target] {
    let own: [Target.Dependency] = [.target(name: name), "LinkTesting"]
    let library = Target.target(
        name: name, dependencies: dependencies, resources: resources, swiftSettings: swiftSettings,
        plugins: plugins)
    return [library] + tests.map { testTarget($0, own + dependencies + companions) }
}

/// Tests with the files that they compare with, which are no sources.
func testTarget(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    let directory = "\(Context.packageDirectory)/Tests/\(name)Tests/"
    let files = ["Fixtures", "Goldens"].filter {
        FileManager.default.fileExists(atPath: directory + $0)
    }
    return .testTarget(
        name: name + "Tests", dependencies: dependencies, exclude: files,
        swiftSettings: swiftSettings)
}

func program(
    _ name: String, _ dependencies: [Target.Dependency], path: String? = nil,
    linkerSettings: [LinkerSetting] = []
) -> Target {
    .executableTarget(
        name: name, dependencies: dependencies, path: path, swiftSettings: swiftSettings,
        linkerSettings: linkerSettings)
}

/// The targets of a floor, whose sources are in its folder.
///
/// A floor knows only those above it here, and itself: Scripts/check-layers.
func floor(_ folder: String, _ targets: [Target]...) -> [Target] {
    let targets = targets.flatMap { $0 }
    for target in targets where target.path == nil && ![.test, .plugin].contains(target.type) {
        target.path = "Sources/\(folder)/\(target.name)"
    }
    return targets
}

/// What a link is, and what happens to a network and an app over time: values without any system.
let model = floor(
    "Model",
    library("LinkUnits", tests: ["LinkUnits"]),
    library("LinkModel", ["LinkUnits"], tests: ["LinkModel"]),
    library("Scenarios", ["LinkModel", "LinkUnits"], tests: ["Scenarios"])
)

/// Files of linkcond and of others to the model and back.
let formats = floor(
    "Formats",
    library(
        "ProfileFormat", ["Scenarios", "LinkModel", "LinkUnits", yams], tests: ["ProfileFormat"]
    ),
    // What other tools say about links, as profiles.
    library(
        "ProfileImport", ["ProfileFormat", "LinkModel", "LinkUnits"],
        tests: ["ProfileImport"]),
    // The catalogue: YAML files, turned into Swift values when linkcond is built.
    [
        program(
            "CatalogCompiler",
            ["Scenarios", "ProfileFormat", "LinkModel", "LinkUnits"]),
        .plugin(
            name: "CompileCatalog", capability: .buildTool(), dependencies: ["CatalogCompiler"]),
    ],
    library(
        "Catalog",
        ["Scenarios", "ProfileFormat", "LinkModel", "LinkUnits", systemPackage],
        tests: ["Catalog"], plugins: ["CompileCatalog"]),
    // XML of others: libexpat, and nothing else that is C.
    [.systemLibrary(name: "CExpat", pkgConfig: "expat", providers: [.apt(["libexpat1-dev"])])],
    library("XMLReading", ["CExpat"], tests: ["XMLReading"])
)

/// Mechanisms of the kernel. The only modules that call C.
let kernel = floor(
    "Kernel",
    [
        .target(name: "CLinux"),
        .systemLibrary(
            name: "CNetlink", pkgConfig: "libnl-route-3.0",
            providers: [.apt(["libnl-3-dev", "libnl-route-3-dev"])]),
    ],
    library("LinuxKernel", ["CLinux", systemPackage], tests: ["LinuxKernel"]),
    library(
        "Netlink", ["LinuxKernel", "CNetlink", systemPackage], tests: ["Netlink"]),
    library(
        "TrafficControl", ["Netlink", "LinkUnits", "CNetlink", systemPackage],
        tests: ["TrafficControl", "TrafficControlKernel"], with: ["KernelPlane"])
)

/// The emulation of a link packet by packet.
let emulation = floor(
    "Emulation",
    // No clock, no descriptors, no threads.
    library(
        "PacketEngine", ["LinkModel", "LinkUnits", deque], tests: ["PacketEngine"]),
    // Between two interfaces, in real time. A program has a packet loop and a meter, for tests and
    // benches.
    library(
        "PacketLoop", ["PacketEngine", "LinkModel", "LinkUnits", "LinuxKernel", systemPackage],
        tests: ["PacketLoop"], with: ["PacketLoopProbe"]),
    [
        program(
            "PacketLoopProbe",
            [
                "PacketLoop", "PacketEngine", "ProfileFormat", "LinuxKernel", "LinkModel",
                "LinkUnits",
            ],
            path: "Tests/PacketLoopProbe")
    ]
)

/// What carries conditions out on a host.
let planes = floor(
    "Planes",
    // What all data planes have in common.
    library(
        "DataPlane",
        ["TrafficControl", "Netlink", "LinuxKernel", "LinkModel", systemPackage],
        tests: ["DataPlane"], with: ["LinkUnits"]),
    library(
        "KernelPlane",
        [
            "DataPlane", "TrafficControl", "Netlink", "LinuxKernel", "LinkModel", "LinkUnits",
            systemPackage,
        ],
        tests: ["KernelPlane", "KernelPlaneKernel"], with: ["Catalog", "Doctor"]),
    library(
        "EnginePlane",
        [
            "DataPlane", "PacketLoop", "PacketEngine", "TrafficControl", "Netlink", "LinuxKernel",
            "LinkModel", "LinkUnits", systemPackage,
        ],
        tests: ["EnginePlane"]),
    library(
        "DataPlanes",
        [
            "EnginePlane", "KernelPlane", "DataPlane", "TrafficControl", "Netlink", "LinuxKernel",
            "LinkModel",
        ])
)

/// What an app under test links, and what programs see over D-Bus.
let apps = floor(
    "Apps",
    // What it sees of the network: a library of its own.
    library(
        "NetworkPath", ["Netlink", "LinuxKernel", systemPackage], tests: ["NetworkPath"]),
    // URLSession that heeds it. Links full Foundation, so nothing of linkcond depends on it.
    library(
        "NetworkPathSession", ["NetworkPath", systemPackage],
        tests: ["NetworkPathSession"], with: ["NetworkSessionProbe"]),
    [
        // An app that uses it, for tests.
        program(
            "NetworkSessionProbe", ["NetworkPathSession"], path: "Tests/NetworkSessionProbe"),
        // Apps that use both, to learn from. Part of this package, so that CI need not build its
        // libraries a second time.
        program(
            "sync-when-free", ["NetworkPath", "NetworkPathSession"],
            path: "Examples/sync-when-free"),
        program("prefetch-assets", ["NetworkPathSession"], path: "Examples/prefetch-assets"),
        // Depends on the programs, so that they are built before the tests run them.
        testTarget(
            "Example", ["linkcond", "sync-when-free", "prefetch-assets", "LinkTesting"]),
        // A program of its own, since libsystemd is only there to be linked dynamically.
        program(
            "LinkcondBus",
            ["NetworkFacade", "Bus", "NetworkPath", "Netlink", "LinuxKernel", systemPackage]),
        .systemLibrary(
            name: "CSystemd", pkgConfig: "libsystemd", providers: [.apt(["libsystemd-dev"])]),
    ],
    library("Bus", ["CSystemd", systemPackage]),
    library("NetworkFacade", ["Bus"], tests: ["NetworkFacade"])
)

/// What linkcond does with them, a module for each thing that a user does.
let features = floor(
    "Features",
    // The profiles and scenarios of who calls, and files for them.
    library(
        "UserCatalog",
        [
            "Catalog", "ProfileImport", "ProfileFormat", "Scenarios", "LinkModel", "LinuxKernel",
            systemPackage,
        ]),
    // What is recorded of a run: captures, logs, statistics, delivery traces, and their plots.
    library(
        "Recording",
        ["PacketLoop", "PacketEngine", "LinkModel", "LinkUnits", "LinuxKernel", systemPackage],
        tests: ["Recording"], with: ["XMLReading"],
        resources: [.embedInCode("Plots/Resources/plot.css")]),
    // What `linkcond override` says of interfaces.
    library(
        "Override", ["NetworkPath", "Netlink", "LinuxKernel", "LinkModel", systemPackage],
        tests: ["Override"]),
    // How the connections of an app use several interfaces at once.
    library(
        "Multipath",
        ["Scenarios", "Netlink", "LinuxKernel", "LinkModel", "LinkUnits", systemPackage],
        tests: ["Multipath"]),
    // How the far side of a sandbox reaches the host's network.
    library(
        "Uplink", ["Netlink", "LinuxKernel", "LinkModel", systemPackage], tests: ["Uplink"]),
    // What scenarios do on any stage: commands beside the app, and what it sees.
    library(
        "ScenarioPlaying",
        ["Scenarios", "NetworkPath", "LinuxKernel", systemPackage]),
    library(
        "Sandbox",
        [
            "Multipath", "ScenarioPlaying", "Scenarios", "Uplink", "Recording", "KernelPlane",
            "DataPlane", "PacketLoop", "PacketEngine", "TrafficControl", "Override", "NetworkPath",
            "Netlink", "LinuxKernel", "LinkModel", "LinkUnits", systemPackage,
        ], tests: ["Sandbox", "SandboxKernel"]),
    library(
        "Verification",
        ["Sandbox", "Recording", "LinuxKernel", "LinkModel", "LinkUnits", systemPackage],
        tests: ["Verification"], with: ["Catalog"]),
    // Whose network is meant, and what `apply`, `play`, `status` and `override` do to it.
    library(
        "HostConditioning",
        [
            "DataPlanes", "DataPlane", "Sandbox", "ScenarioPlaying", "Multipath", "Scenarios",
            "Override", "NetworkPath", "Netlink", "LinuxKernel", "LinkModel", "LinkUnits",
            systemPackage,
        ],
        tests: ["HostConditioning"]),
    // What a host can do, and how to get what it lacks.
    library(
        "Doctor",
        [
            "Sandbox", "Multipath", "EnginePlane", "KernelPlane", "DataPlane", "LinuxKernel",
            "LinkModel", "LinkUnits", systemPackage,
        ],
        tests: ["Doctor"]),
    // A command over many profiles: cells, what is expected of them, and the report.
    library(
        "Matrix",
        [
            "Recording", "ProfileFormat", "LinkModel", "LinkUnits", "LinuxKernel", "XMLReading",
            systemPackage, yams,
        ],
        // The reports are what people and CI engines read, in a real browser and by the real schema.
        tests: ["Matrix", "MatrixReport"],
        // Part of the program, so that it stays one file.
        resources: [
            .embedInCode("Reports/Resources/policy.txt"),
            .embedInCode("Reports/Resources/report.css"),
            .embedInCode("Reports/Resources/report.js"),
        ]),
    // What `run` and `matrix` make of names: sandboxes, the cells of a matrix, and their files.
    library(
        "SandboxRuns",
        [
            "Sandbox", "Matrix", "Recording", "UserCatalog", "Catalog", "ProfileFormat",
            "Scenarios", "Override", "NetworkPath", "LinuxKernel", "LinkModel", "LinkUnits",
            systemPackage,
        ], tests: ["SandboxRuns"])
)

let commandLine: [[Target]] = [
    [
        program(
            "linkcond",
            [
                "Matrix", "Multipath", "PacketEngine", "DataPlanes", "DataPlane",
                "EnginePlane", "Verification", "Sandbox", "Recording", "KernelPlane", "Doctor",
                "Override", "NetworkPath", "Catalog", "ProfileFormat", "ProfileImport",
                "Scenarios", "HostConditioning", "UserCatalog", "SandboxRuns",
                "LinkModel", "LinkUnits", "LinuxKernel", "Netlink", "TrafficControl",
                argumentParser, systemPackage,
            ],
            linkerSettings: staticLinking),
        // swift package linkcond test, for packages that depend on this one.
        .plugin(
            name: "LinkcondPlugin",
            capability: .command(
                intent: .custom(
                    verb: "linkcond", description: "Run the tests once per network profile.")),
            dependencies: ["linkcond"]),
        // Depends on the program, so that it is built before the tests run it.
        testTarget(
            "CommandLine",
            [
                "linkcond", "Matrix", "UserCatalog", "Catalog", "ProfileFormat", "LinkModel",
                "LinkTesting", argumentParser, systemPackage,
            ]),
        // Real programs in network namespaces, on this kernel and in the kernel lab.
        testTarget(
            "Integration",
            [
                "linkcond", "LinkcondBus", "Matrix", "Recording", "Verification", "KernelPlane",
                "NetworkPathSession", "LinkModel", "LinkUnits", "LinuxKernel", "LinkTesting",
            ]),
        // What tests of several modules need: processes, goldens, seeds.
        .target(
            name: "LinkTesting",
            dependencies: [
                "KernelPlane", "Netlink", "LinuxKernel", "LinkModel", "LinkUnits", subprocess,
                systemPackage,
            ],
            path: "Tests/LinkTesting", swiftSettings: swiftSettings),
        testTarget("LinkTesting", ["LinkTesting"]),
    ]
]

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
    targets: model + formats + kernel + emulation + planes + apps + features
        + commandLine.flatMap { $0 }
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
        "LinkUnits", "LinkModel", "ProfileFormat", "Scenarios", "PacketEngine",
        "ProfileImport", "CLinux", "LinuxKernel", "CNetlink", "Netlink",
        "NetworkPath", "TrafficControl", "PacketLoop", "Recording", "Uplink", "DataPlane",
        "KernelPlane",
        "EnginePlane", "DataPlanes", "CExpat", "XMLReading", "Matrix",
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
