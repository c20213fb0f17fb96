// swift-tools-version: 6.2
import Foundation
import PackageDescription

let swiftSettings: [SwiftSetting] =
    [.swiftLanguageMode(.v6), .strictMemorySafety(), .treatAllWarnings(as: .error)]
    + [
        "ExistentialAny", "InternalImportsByDefault", "MemberImportVisibility",
        "NonisolatedNonsendingByDefault",
    ].map { .enableUpcomingFeature($0) }

let json: Target.Dependency = "JSONReading"
let product: (String, String) -> Target.Dependency = { .product(name: $0, package: $1) }
let argumentParser = product("ArgumentParser", "swift-argument-parser")
let deque = product("DequeModule", "swift-collections")
let nio = ["NIOCore", "NIOPosix"].map { product($0, "swift-nio") }
let nioHTTP = product("NIOHTTP1", "swift-nio")
let nioTLS = [product("NIOTLS", "swift-nio"), product("NIOSSL", "swift-nio-ssl")]
let subprocess = product("Subprocess", "swift-subprocess")
let systemPackage = product("SystemPackage", "swift-system")
/// What most modules above the kernel stand on.
let basics: [Target.Dependency] = ["LinuxKernel", "LinkModel", "LinkUnits", systemPackage]

// A single file that runs on every Linux, when built by Scripts/lib/build.sh. Other packages may
// not depend on targets with unsafe flags, which includes targets that use the plugin.
let staticLinking: [LinkerSetting] =
    Context.environment["LINKCOND_STATIC"] == nil ? [] : [.unsafeFlags(["-static-executable"])]

/// A library and its test targets, by default one of its name. They may import what it may, and
/// `companions`.
func library(
    _ name: String, _ dependencies: [Target.Dependency] = [], tests: [String]? = nil,
    with companions: [Target.Dependency] = [], plugins: [Target.PluginUsage] = []
) -> [Target] {
    let own: [Target.Dependency] = [.target(name: name), "LinkTesting"]
    let library = Target.target(
        name: name, dependencies: dependencies, swiftSettings: swiftSettings, plugins: plugins)
    return [library] + (tests ?? [name]).map { testTarget($0, own + dependencies + companions) }
}

/// A test target; its reference files are not sources.
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
    exclude: [String] = [], linkerSettings: [LinkerSetting] = [],
    plugins: [Target.PluginUsage] = []
) -> Target {
    .executableTarget(
        name: name, dependencies: dependencies, path: path, exclude: exclude,
        swiftSettings: swiftSettings, linkerSettings: linkerSettings, plugins: plugins)
}

/// The targets of a layer, in its folder. It may import only itself and layers above it here.
func floor(_ folder: String, _ targets: [Target]...) -> [Target] {
    let targets = targets.flatMap { $0 }
    for target in targets where target.path == nil && ![.test, .plugin].contains(target.type) {
        target.path = "Sources/\(folder)/\(target.name)"
    }
    return targets
}

/// What a link is, and what happens to a network and an app over time: pure values.
let model = floor(
    "Model",
    library("LinkUnits"),
    library("LinkModel", ["LinkUnits"]),
    library("Scenarios", ["LinkModel", "LinkUnits"])
)

/// Reading and writing linkcond's own and foreign files.
let formats = floor(
    "Formats",
    library("ProfileFormat", ["Scenarios", "YAMLReading", "LinkModel", "LinkUnits"]),
    // Imports link conditions of other tools as profiles.
    library("ProfileImport", ["ProfileFormat", json, "LinkModel", "LinkUnits"]),
    // The catalogue: YAML files, compiled to Swift values when linkcond is built.
    [
        program("CatalogCompiler", ["Scenarios", "ProfileFormat", "LinkModel", "LinkUnits"]),
        .plugin(
            name: "CompileCatalog", capability: .buildTool(), dependencies: ["CatalogCompiler"]),
    ],
    library(
        "Catalog",
        ["Scenarios", "ProfileFormat", "LinkModel", "LinkUnits", systemPackage],
        plugins: ["CompileCatalog"]),
    // Read XML and YAML, with the only C dependencies of the layer.
    [
        .systemLibrary(name: "CExpat", pkgConfig: "expat", providers: [.apt(["libexpat1-dev"])]),
        .systemLibrary(name: "CYAML", pkgConfig: "yaml-0.1", providers: [.apt(["libyaml-dev"])]),
    ],
    library("JSONReading"),
    library("XMLReading", ["CExpat"]),
    library("YAMLReading", ["CYAML"])
)

/// Kernel mechanisms. The only modules that call C.
let kernel = floor(
    "Kernel",
    [
        .target(name: "CLinux"),
        .systemLibrary(
            name: "CNetlink", pkgConfig: "libnl-3.0", providers: [.apt(["libnl-3-dev"])]),
    ],
    library("LinuxKernel", ["CLinux", systemPackage]),
    library("Netlink", ["LinuxKernel", "CNetlink", systemPackage]),
    library(
        "TrafficControl", ["Netlink", "LinkUnits", "CNetlink", systemPackage],
        tests: ["TrafficControl", "TrafficControlKernel"], with: ["KernelPlane"])
)

/// Packet-level emulation of a link.
let emulation = floor(
    "Emulation",
    // The emulation itself: no clock, no file descriptors, no threads.
    library("PacketEngine", ["LinkModel", "LinkUnits", deque]),
    library("Middleboxes", ["LinuxKernel", "LinkModel", "LinkUnits"]),
    // Runs it between two interfaces in real time; the program is for tests and benchmarks.
    library("PacketLoop", ["PacketEngine", "Middleboxes"] + basics, with: ["PacketLoopProbe"]),
    [
        program(
            "PacketLoopProbe", ["PacketLoop", "PacketEngine", "ProfileFormat"] + basics,
            path: "Tests/PacketLoopProbe")
    ]
)

/// The data planes that apply conditions on a host.
let planes = floor(
    "Planes",
    // The parts that all data planes share.
    library("DataPlane", ["TrafficControl", "Netlink"] + basics),
    library(
        "KernelPlane", ["DataPlane", "TrafficControl", "Netlink"] + basics,
        tests: ["KernelPlane", "KernelPlaneKernel"], with: ["Catalog", "Doctor"]),
    library(
        "EnginePlane",
        ["DataPlane", "PacketLoop", "PacketEngine", "TrafficControl", "Netlink"] + basics),
    library(
        "DataPlanes",
        ["EnginePlane", "KernelPlane", "DataPlane", "TrafficControl", "Netlink"] + basics, tests: []
    )
)

/// Libraries for apps under test, and the D-Bus view of the network.
let apps = floor(
    "Apps",
    // An app's view of the network, usable on its own.
    library("NetworkPath", ["Netlink", "LinuxKernel", systemPackage]),
    // HTTP with libcurl, which FoundationNetworking needs as well.
    library("HTTPTransport", ["CCurl", "CCrypto", "LinuxKernel", systemPackage]),
    // A URLSession that respects the path. Links full Foundation: linkcond must not depend on it.
    library(
        "NetworkPathSession", ["HTTPTransport", "NetworkPath", "LinuxKernel", systemPackage],
        with: ["NetworkSessionProbe"]),
    // Apple's Network. Builds swift-nio: linkcond must not depend on it.
    library(
        "Network", ["NetworkPath", "LinuxKernel", systemPackage] + nio + nioTLS,
        with: ["network-tour"]),
    // Downloads an app's assets in the background; SHA-256 is libcrypto's, which libcurl links.
    library("AssetDownloads", ["NetworkPathSession", "CCrypto", "LinuxKernel", systemPackage]),
    [
        .systemLibrary(
            name: "CCurl", pkgConfig: "libcurl", providers: [.apt(["libcurl4-openssl-dev"])]),
        .systemLibrary(name: "CCrypto", pkgConfig: "libcrypto", providers: [.apt(["libssl-dev"])]),
        // An app that uses it, for tests.
        program(
            "NetworkSessionProbe", ["NetworkPathSession"], path: "Tests/NetworkSessionProbe"),
        // Example apps. Part of this package, so that CI does not build the libraries twice.
        program(
            "sync-when-free", ["NetworkPath", "NetworkPathSession"],
            path: "Examples/sync-when-free"),
        program("prefetch-assets", ["AssetDownloads"], path: "Examples/prefetch-assets"),
        program("network-tour", ["Network"], path: "Examples/network-tour"),
        program(
            "shared-notes", ["NetworkPathSession"], path: "Examples/shared-notes",
            exclude: ["server.py", "two-tablets.yaml"]),
        // Depends on the programs, so that they are built before the tests run them.
        testTarget(
            "Example",
            [
                "linkcond", "sync-when-free", "prefetch-assets", "network-tour", "shared-notes",
                "LinkTesting",
            ]),
        // A separate program, since libsystemd can only be linked dynamically.
        program(
            "LinkcondBus",
            ["NetworkFacade", "Bus", "NetworkPath", "Netlink", "LinuxKernel", systemPackage]),
        .systemLibrary(
            name: "CSystemd", pkgConfig: "libsystemd", providers: [.apt(["libsystemd-dev"])]),
    ],
    library("Bus", ["CSystemd", systemPackage], tests: []),
    library("NetworkFacade", ["Bus"])
)

/// linkcond's features, one module per user task.
let features = floor(
    "Features",
    // Makes files in directories `Resources` a part of the program, as `EmbeddedFiles`.
    [.plugin(name: "EmbedFiles", capability: .buildTool())],
    // The user's own profiles and scenarios.
    library(
        "UserCatalog", ["Catalog", "ProfileImport", "ProfileFormat", "Scenarios"] + basics,
        tests: []),
    // Recordings of a run: captures, logs, statistics, delivery traces, and their plots.
    library(
        "Recording", ["PacketLoop", "PacketEngine"] + basics, with: ["XMLReading"],
        plugins: ["EmbedFiles"]),
    // Where the time of a run went: the critical path of its packets, from a capture.
    library(
        "Explanation", ["Recording", "PacketLoop", "Middleboxes", deque] + basics,
        plugins: ["EmbedFiles"]),
    // Reads and sets the overrides of `linkcond override`.
    library("Override", ["NetworkPath", "Netlink", "LinuxKernel", "LinkModel", systemPackage]),
    // How Multipath TCP connections use several interfaces.
    library("Multipath", ["Scenarios", "Netlink"] + basics),
    // How the far side of a sandbox reaches the host's network.
    library("Uplink", ["Netlink", "LinuxKernel", "LinkModel", systemPackage]),
    // The shared part of playing scenarios: commands beside the app, and the app's view.
    library(
        "ScenarioPlaying", ["Scenarios", "NetworkPath", "LinuxKernel", systemPackage], tests: []),
    library(
        "Sandbox",
        [
            "Multipath", "ScenarioPlaying", "Scenarios", "Uplink", "Recording", "KernelPlane",
            "DataPlane", "PacketLoop", "PacketEngine", "TrafficControl", "Override", "NetworkPath",
            "Netlink", "Middleboxes",
        ] + basics, tests: ["Sandbox", "SandboxKernel"]),
    library("Verification", ["Sandbox", "Recording"] + basics, with: ["Catalog"]),
    // A profile from a real link: by probes, or from captures.
    library("Learning", ["Explanation", "Verification", "Recording", "ProfileFormat"] + basics),
    // Network namespaces of targets, and `apply`, `play`, `status` and `override` in them.
    library(
        "HostConditioning",
        [
            "DataPlanes", "DataPlane", "Sandbox", "ScenarioPlaying", "Multipath", "Scenarios",
            "Override", "NetworkPath", "Netlink",
        ] + basics),
    // This host as the router of other devices, each with conditions of its own.
    library(
        "Gateway",
        [
            "DataPlanes", "DataPlane", "UserCatalog", "Catalog", "ProfileFormat", "YAMLReading",
            "Netlink",
        ] + basics),
    // What a host supports, and how to add what is missing.
    library(
        "Doctor", ["Sandbox", "Multipath", "EnginePlane", "KernelPlane", "DataPlane"] + basics),
    // Runs a command over many profiles: cells, expectations, and the report.
    library(
        "Matrix", ["Recording", "ProfileFormat", "XMLReading", "YAMLReading"] + basics,
        tests: ["Matrix", "MatrixReport"],
        plugins: ["EmbedFiles"]),
    // Finds the condition at which a command begins to fail.
    library("Bisection", ["Matrix", "Recording"] + basics),
    // What a controller says to a running proxy, and what clients do; no sockets.
    library("ProxyControl", ["LinkModel"]),
    library("ProxyProtocols", ["LinuxKernel"]),
    // What both HTTP APIs share: requests, answers, JSON, who may ask, and their description.
    library("HTTPAPI", [json], tests: [], plugins: ["EmbedFiles"]),
    // The HTTP API of a proxy as a function. A separate program serves it, which needs swift-nio.
    library(
        "ProxyAPI",
        ["HTTPAPI", json, "ProxyControl", "UserCatalog", "Catalog", "LinkModel", "LinkUnits"]),
    // The panel and the HTTP API of a host, likewise.
    library(
        "HostAPI", ["HTTPAPI", json, "LinuxKernel", "LinkModel"],
        plugins: ["EmbedFiles"]),
    [
        program(
            "LinkcondAPI",
            ["ProxyAPI", "HostAPI", "HTTPAPI", json, "ProxyControl", "LinuxKernel", systemPackage]
                + [nioHTTP] + nio + nioTLS, linkerSettings: staticLinking)
    ],
    // Resolves the names given to `run`, `matrix` and `bisect`.
    library(
        "SandboxRuns",
        [
            "Sandbox", "Bisection", "Matrix", "Explanation", "Recording", "UserCatalog", "Catalog",
            "ProfileFormat", "Scenarios", "Override", "NetworkPath",
        ] + basics),
    library(
        "Proxy",
        [
            "ProxyControl", "ProxyProtocols", "Sandbox", "Uplink", "UserCatalog", "Catalog",
            "Scenarios",
        ] + basics)
)

let commandLine: [Target] = [
    program(
        "linkcond",
        [
            "Bisection", "Matrix", "Multipath", "PacketEngine", "DataPlanes", "DataPlane",
            "EnginePlane", "Verification", "Sandbox", "Recording", "KernelPlane", "Doctor",
            "Override", "NetworkPath", "Catalog", "ProfileFormat", "ProfileImport", "Scenarios",
            "HostConditioning", "UserCatalog", "SandboxRuns", "Uplink", "Explanation", "Netlink",
            "TrafficControl", "Learning", "Gateway", "Proxy", "ProxyControl", "ProxyProtocols",
            argumentParser,
        ] + basics,
        linkerSettings: staticLinking, plugins: ["StampVersion"]),
    .plugin(name: "StampVersion", capability: .buildTool()),
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
            "linkcond", "Matrix", "UserCatalog", "Catalog", "ProfileFormat", "DataPlane",
            "Multipath", "Netlink", "LinkTesting", argumentParser,
        ] + basics),
    // Tests with real programs in network namespaces, on this kernel and in the kernel lab.
    testTarget(
        "Integration",
        [
            "Matrix", "Recording", "Verification", "KernelPlane", "NetworkPathSession",
            "LinkModel", "LinkUnits", "LinuxKernel", "LinkTesting",
        ]),
    // Test support shared by several modules: processes, goldens, seeds.
    .target(
        name: "LinkTesting",
        dependencies: ["KernelPlane", "Netlink", subprocess] + basics,
        path: "Tests/LinkTesting", swiftSettings: swiftSettings),
    testTarget("LinkTesting", ["LinkTesting"]),
]

let package = Package(
    name: "linkcond",
    products: [
        .executable(name: "linkcond", targets: ["linkcond"]),
        .plugin(name: "LinkcondPlugin", targets: ["LinkcondPlugin"]),
        .executable(name: "linkcond-bus", targets: ["LinkcondBus"]),
        .executable(name: "linkcond-api", targets: ["LinkcondAPI"]),
    ]
        + ["NetworkPath", "NetworkPathSession", "Network", "AssetDownloads"].map {
            .library(name: $0, targets: [$0])
        },
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-collections", from: "1.6.0"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
        .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.6"),
        .package(url: "https://github.com/apple/swift-system", from: "1.8.1"),
        .package(url: "https://github.com/swiftlang/swift-subprocess", from: "1.0.2"),
    ],
    targets: model + formats + kernel + emulation + planes + apps + features + commandLine
)

// Builds of the tests leave out the plugin, which builds linkcond a second time, as its tool. They
// optimize what tests compute most with.
if Context.environment["LINKCOND_NO_PLUGIN"] != nil {
    package.products.removeAll { $0.name == "LinkcondPlugin" }
    package.targets.removeAll { $0.name == "LinkcondPlugin" }
    let busy = ["LinkUnits", "LinkModel", "PacketEngine", "Bisection", "Learning", "LinkTesting"]
    let flags = ["-O", "-disable-batch-mode", "-whole-module-optimization", "-num-threads", "2"]
    for target in package.targets where busy.contains(target.name) {
        target.swiftSettings?.append(.unsafeFlags(flags, .when(configuration: .debug)))
    }
}

// libFuzzer (Scripts/fuzz) needs flags in every module and conflicts with the build plugin.
if Context.environment["LINKCOND_FUZZ"] != nil {
    var fuzzed = [
        "NetworkPath", "Recording", "Uplink", "Matrix", "Learning", "Explanation", "Verification",
        "Sandbox", "ScenarioPlaying", "Multipath", "Override", "ProxyProtocols", "EmbedFiles",
    ]
    fuzzed += (model + formats + kernel + emulation + planes).map(\.name).filter {
        !$0.contains("Catalog") && !$0.hasSuffix("Tests") && $0 != "PacketLoopProbe"
    }
    package.products = []
    package.targets.removeAll { !fuzzed.contains($0.name) }
    for target in package.targets {
        target.swiftSettings?.append(.unsafeFlags(["-sanitize=fuzzer", "-enable-testing"]))
    }
    package.targets.append(
        .executableTarget(
            name: "Fuzz",
            dependencies: package.targets.filter {
                ![.system, .plugin].contains($0.type) && $0.name != "CLinux"
            }.map { .init(stringLiteral: $0.name) },
            path: "Tests/Fuzz", exclude: ["Corpus"],
            swiftSettings: swiftSettings + [
                .unsafeFlags(["-parse-as-library", "-sanitize=fuzzer"])
            ],
            linkerSettings: [.unsafeFlags(["-sanitize=fuzzer", "-use-ld=lld"])]))
}
