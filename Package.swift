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

func module(
    _ name: String, _ dependencies: [Target.Dependency] = [], plugins: [Target.PluginUsage] = []
) -> Target {
    .target(
        name: name, dependencies: dependencies, swiftSettings: swiftSettings, plugins: plugins)
}

func tests(
    of name: String, _ dependencies: [Target.Dependency] = [], goldens: Bool = false
) -> Target {
    .testTarget(
        name: name + "Tests", dependencies: dependencies, exclude: goldens ? ["Goldens"] : [],
        swiftSettings: swiftSettings)
}

let package = Package(
    name: "linkcond",
    products: [
        .executable(name: "linkcond", targets: ["linkcond"]),
        .library(name: "NetworkPath", targets: ["NetworkPath"]),
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
            name: "CatalogCompiler", dependencies: ["ProfileFormat", "LinkModel", "LinkUnits"],
            swiftSettings: swiftSettings),
        .plugin(
            name: "CompileCatalog", capability: .buildTool(), dependencies: ["CatalogCompiler"]),
        module(
            "ProfileCatalog", ["ProfileFormat", "LinkModel", "LinkUnits", systemPackage],
            plugins: ["CompileCatalog"]),

        // The emulation of a link packet by packet: no clock, no descriptors, no threads.
        module("PacketEngine", ["LinkModel", "LinkUnits", deque]),

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

        // How the far side of a sandbox reaches the host's network.
        module("Uplink", ["Netlink", "LinuxKernel", systemPackage]),

        // Whose network is meant: names, processes, containers.
        module("Targets", ["LinuxKernel", systemPackage]),

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
                "Uplink", "Evidence", "Conditioner", "PacketLoop", "PacketEngine", "TrafficControl",
                "NetworkOverride", "NetworkPath", "Netlink", "LinuxKernel", "LinkModel",
                "LinkUnits", systemPackage,
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
        .executableTarget(
            name: "linkcond",
            dependencies: [
                "DataPlanes", "EngineService", "Verification", "Sandbox", "Evidence", "Conditioner",
                "NetworkOverride", "NetworkPath",
                "ProfileCatalog", "ProfileFormat", "ProfileImport", "Targets",
                "LinkModel", "LinkUnits", "LinuxKernel", "Netlink", "TrafficControl",
                argumentParser, systemPackage,
            ],
            swiftSettings: swiftSettings,
            // One file that runs on every Linux; Scripts/lib/build.sh does its part.
            linkerSettings: [
                .unsafeFlags(["-static-executable"], .when(configuration: .release))
            ]),

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
        tests(of: "LinkTesting", ["LinkTesting"]),
        tests(of: "LinkUnits", ["LinkUnits", "LinkTesting"]),
        tests(of: "LinkModel", ["LinkModel", "LinkUnits"]),
        tests(
            of: "PacketEngine", ["PacketEngine", "LinkModel", "LinkUnits", "LinkTesting"],
            goldens: true),
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
            ], goldens: true),
        tests(of: "ProfileFormat", ["ProfileFormat", "LinkModel", "LinkUnits", "LinkTesting"]),
        .testTarget(
            name: "ProfileImportTests",
            dependencies: [
                "ProfileImport", "ProfileFormat", "LinkModel", "LinkUnits", "LinkTesting",
            ],
            exclude: ["Fixtures", "Goldens"], swiftSettings: swiftSettings),
        tests(
            of: "ProfileCatalog",
            ["ProfileCatalog", "ProfileFormat", "LinkModel", "LinkUnits", "LinkTesting"]),
        // Depends on the program, so that it is built before the tests run it.
        .testTarget(
            name: "CommandLineTests",
            dependencies: [
                "linkcond", "ProfileCatalog", "ProfileFormat", "LinkModel", "LinkTesting",
                argumentParser, systemPackage,
            ],
            exclude: ["Goldens"], swiftSettings: swiftSettings),
        tests(of: "LinuxKernel", ["LinuxKernel", "LinkTesting"]),
        tests(of: "Targets", ["Targets", "LinuxKernel", "LinkTesting"]),
        tests(of: "Sandbox", ["Sandbox", "Netlink", "LinuxKernel"]),
        tests(
            of: "EngineService",
            [
                "EngineService", "PacketLoop", "TrafficControl", "Netlink", "LinkModel",
                "LinkUnits",
            ]),
        tests(of: "NetworkFacade", ["NetworkFacade", "Bus"]),
        // Real programs in network namespaces, on this kernel and in the kernel lab.
        .testTarget(
            name: "IntegrationTests",
            dependencies: [
                "linkcond", "LinkcondBus", "Verification", "Conditioner", "LinkModel", "LinkUnits",
                "LinkTesting",
            ],
            exclude: ["Fixtures"], swiftSettings: swiftSettings),
        tests(
            of: "NetworkPath",
            ["NetworkPath", "Netlink", "LinuxKernel", "LinkTesting", systemPackage]),
        tests(
            of: "NetworkOverride",
            ["NetworkOverride", "NetworkPath", "Netlink", "LinuxKernel", "LinkTesting"]),
        tests(of: "Netlink", ["Netlink", "LinkTesting", systemPackage], goldens: true),
        tests(
            of: "TrafficControl",
            ["TrafficControl", "Netlink", "LinkUnits", "LinkTesting", systemPackage], goldens: true),
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
            ], goldens: true),
        tests(
            of: "Verification",
            [
                "Verification", "ProfileCatalog", "Conditioner", "LinuxKernel", "LinkModel",
                "LinkUnits", "LinkTesting",
            ]),
        // The relay between real programs in network namespaces.
        .testTarget(
            name: "UplinkTests",
            dependencies: ["Uplink", "Netlink", "LinuxKernel", "LinkTesting", systemPackage],
            exclude: ["Fixtures", "Goldens"], swiftSettings: swiftSettings),
        tests(
            of: "ConditionerKernel",
            [
                "Conditioner", "ProfileCatalog", "TrafficControl", "Netlink", "LinuxKernel",
                "LinkModel", "LinkUnits", "LinkTesting", systemPackage,
            ]),
    ]
)

// libFuzzer needs its own flags in every module, and would fight with the build plugin:
// LINKCOND_FUZZ=1 swift build --scratch-path .build-fuzz --product ProfileFuzz
if Context.environment["LINKCOND_FUZZ"] != nil {
    let fuzzed = ["LinkUnits", "LinkModel", "ProfileFormat"]
    package.products = []
    package.targets.removeAll { !fuzzed.contains($0.name) }
    for target in package.targets {
        target.swiftSettings?.append(.unsafeFlags(["-sanitize=fuzzer"]))
    }
    package.targets.append(
        .executableTarget(
            name: "ProfileFuzz", dependencies: ["ProfileFormat", "LinkModel", "LinkUnits"],
            path: "Tests/Fuzz",
            swiftSettings: swiftSettings + [
                .unsafeFlags(["-parse-as-library", "-sanitize=fuzzer"])
            ],
            linkerSettings: [.unsafeFlags(["-sanitize=fuzzer", "-use-ld=lld"])]))
}
