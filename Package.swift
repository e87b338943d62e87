// swift-tools-version:6.2
import PackageDescription

// A slim program depends on the product PlugboardCore and on the plugins that it links; nothing else is compiled.
let bundled = [
    "Logging", "Indicator", "Recorder", "Telemetry", "Mock", "Decode", "Redirect", "Authentication", "Cookies", "Cache",
    "Queue", "Limit", "Resume",
    "Retry",
    "Validator",
]

// Each in a product of its own, which `Plugboard` does not have: a program without an engine needs no library of it.
let engines = ["Redis"]

// The plugin `queue` with a second store; neither options nor metadata of its own.
let queueStore = "PlugboardQueuePostgreSQL"

// CI sets this, so that the warnings of a new compiler break the build of this repository only.
let strict: [SwiftSetting] =
    Context.environment["PLUGBOARD_STRICT"] == nil ? [] : [.treatAllWarnings(as: .error)]

/// A package that only some products need: it is downloaded where its trait or the default one is enabled, so that a
/// program with `traits: []` downloads none.
func optional(_ product: String, _ package: String, trait: String) -> Target.Dependency {
    .product(name: product, package: package, condition: .when(traits: ["AllPackages", trait]))
}

let httpTypes = optional("HTTPTypes", "swift-http-types", trait: "HTTPTypes")
let swiftLog = optional("Logging", "swift-log", trait: "SwiftLog")
let swiftProtobuf = optional("SwiftProtobuf", "swift-protobuf", trait: "Protobuf")
let swiftMetrics = optional("CoreMetrics", "swift-metrics", trait: "Metrics")
let swiftTracing = optional("Tracing", "swift-distributed-tracing", trait: "Tracing")
let inMemoryTracing = optional("InMemoryTracing", "swift-distributed-tracing", trait: "Tracing")
let serviceLifecycleTesting = optional(
    "ServiceLifecycleTestKit", "swift-service-lifecycle", trait: "ServiceLifecycle")
let serviceLifecycle = optional("ServiceLifecycle", "swift-service-lifecycle", trait: "ServiceLifecycle")
let argumentParser = optional("ArgumentParser", "swift-argument-parser", trait: "Command")
let flyingFox = optional("FlyingFox", "FlyingFox", trait: "Inspect")
let structuredFields = optional(
    "RawStructuredFieldValues", "swift-http-structured-headers", trait: "StructuredFields")

func module(_ name: String, _ dependencies: Target.Dependency..., path: String? = nil) -> Target {
    .target(name: name, dependencies: dependencies, path: path, swiftSettings: strict)
}

/// A bundled plugin: its code, its options, and what its shared object says of itself.
///
/// It uses what every plugin can use: without access to the package, the compiler refuses anything that is not public.
func plugin(_ name: String, _ dependencies: Target.Dependency...) -> [Target] {
    let own: [Target.Dependency] = [
        "PlugboardKit", "PlugboardMessages", "CPlugboard", "PlugboardJSON", .target(name: "Plugboard\(name)Options"),
        .target(name: "Plugboard\(name)Metadata"),
    ]
    return [
        .target(
            name: "Plugboard\(name)", dependencies: own + dependencies,
            path: "Plugins/\(name)/Sources/Plugboard\(name)",
            packageAccess: false, swiftSettings: strict),
        .target(
            name: "Plugboard\(name)Options", dependencies: ["PlugboardKit", "PlugboardMessages", "PlugboardJSON"],
            path: "Plugins/\(name)/Sources/Plugboard\(name)Options", packageAccess: false, swiftSettings: strict),
        .target(
            name: "Plugboard\(name)Metadata", dependencies: ["CPlugboard"],
            path: "Plugins/\(name)/Sources/Plugboard\(name)Metadata"),
    ]
}

func tests(_ name: String, _ dependencies: Target.Dependency...) -> Target {
    .testTarget(
        name: name, dependencies: dependencies + ["TestSupport"], path: "Tests/\(name)", swiftSettings: strict)
}

/// The tests of a bundled plugin, linked and loaded.
func pluginTests(_ name: String, _ dependencies: Target.Dependency...) -> Target {
    let own: [Target.Dependency] = [
        .target(name: "Plugboard\(name)"), .target(name: "Plugboard\(name)Options"), "Plugboard", "PlugboardCore",
        "PluginLoader",
        "PlugboardKit", "PlugboardTransport", "PlugboardEventLoop", "PlugboardMessages", "PlugboardJSON",
    ]
    return .testTarget(
        name: "\(name)Tests", dependencies: own + dependencies + ["TestSupport"], path: "Tests/\(name)Tests",
        swiftSettings: strict)
}

func fuzzer(_ name: String, _ dependencies: Target.Dependency...) -> Target {
    .target(
        name: "\(name)Fuzz", dependencies: ["Fuzzing"] + dependencies, path: "Tests/Fuzz/Sources/\(name)Fuzz",
        swiftSettings: strict)
}

let systemLibraries: [Target] = [
    .systemLibrary(name: "CPlugboardEpoll"),
    .systemLibrary(name: "CPlugboardFiles"),
    .systemLibrary(name: "CPlugboardNetlink"),
    .systemLibrary(name: "CPlugboardControl"),
    .systemLibrary(name: "CPlugboardCurl", pkgConfig: "libcurl", providers: [.apt(["libcurl4-openssl-dev"])]),
    .systemLibrary(name: "CPlugboardLtdl", providers: [.apt(["libltdl-dev"])]),
    .systemLibrary(name: "CPlugboardSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
    .systemLibrary(name: "CPlugboardPSL", pkgConfig: "libpsl", providers: [.apt(["libpsl-dev"])]),
    .systemLibrary(name: "CPlugboardPCRE2", pkgConfig: "libpcre2-8", providers: [.apt(["libpcre2-dev"])]),
    .systemLibrary(name: "CPlugboardIDN2", pkgConfig: "libidn2", providers: [.apt(["libidn2-dev"])]),
    .systemLibrary(name: "CPlugboardExpat", pkgConfig: "expat", providers: [.apt(["libexpat1-dev"])]),
    .systemLibrary(name: "CPlugboardYAML", pkgConfig: "yaml-0.1", providers: [.apt(["libyaml-dev"])]),
    // Not by pkg-config, which gives a flag that SwiftPM refuses with a warning.
    .systemLibrary(name: "CPlugboardHiredis", providers: [.apt(["libhiredis-dev"])]),
    .systemLibrary(name: "CPlugboardPostgreSQL", pkgConfig: "libpq", providers: [.apt(["libpq-dev"])]),
    .systemLibrary(name: "CPlugboardNettle", pkgConfig: "nettle", providers: [.apt(["nettle-dev"])]),
    .systemLibrary(name: "CPlugboardZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),
    .systemLibrary(name: "CPlugboardBrotli", pkgConfig: "libbrotlidec", providers: [.apt(["libbrotli-dev"])]),
    .systemLibrary(name: "CPlugboardZstd", pkgConfig: "libzstd", providers: [.apt(["libzstd-dev"])]),
]

// Lower layers first; a layer depends on those below it.
let layers: [Target] = [
    // 0: the system, beside the modules of C libraries
    module("PlugboardSystem"),

    // 1: messages and their bytes
    .target(name: "CPlugboard"),
    module("PlugboardJSON", "PlugboardSystem"),
    module("PlugboardJSONCoding", "PlugboardJSON"),
    module("PlugboardMessages", "PlugboardSystem"),
    // Not in PlugboardMessages, because the kernel and the transport read none of these values.
    module("PlugboardFieldValues", "PlugboardMessages"),

    // 2: what plugins, transports and programs are written against
    module("PlugboardEventLoop", "PlugboardSystem", "PlugboardMessages", "CPlugboardEpoll"),
    module("PlugboardTransport", "PlugboardMessages", "PlugboardEventLoop"),
    module("PlugboardBorder", "PlugboardMessages", "CPlugboard", "PlugboardJSON"),
    module(
        "PlugboardKit", "PlugboardBorder", "PlugboardSystem", "PlugboardMessages", "PlugboardFieldValues",
        "CPlugboard", "PlugboardJSON"),
    .target(name: "CPlugboardStore", dependencies: ["CPlugboard"]),
    module("PlugboardStore", "CPlugboardStore", "CPlugboard", "PlugboardKit", "PlugboardMessages"),
    module("PlugboardObserving", "PlugboardSystem", "PlugboardKit", "PlugboardMessages", "PlugboardJSON"),
    module("PlugboardRanges", "PlugboardMessages", "PlugboardFieldValues"),
    module("PlugboardServerDelay", "PlugboardMessages", "PlugboardFieldValues", structuredFields),
    module("PlugboardFileClaims", "PlugboardSystem", "PlugboardMessages"),
    module(
        "PlugboardDownloads", "PlugboardSystem", "PlugboardRanges", "PlugboardFileClaims", "PlugboardMessages",
        "PlugboardFieldValues", "PlugboardJSONCoding", "CPlugboardFiles", "CPlugboardNettle"),
    module(
        "PlugboardUploads", "PlugboardSystem", "PlugboardFileClaims", "PlugboardMessages", "PlugboardFieldValues",
        "PlugboardJSONCoding", "CPlugboardNettle"),
    .target(
        name: "MetaschemaDocuments", path: "Sources/PlugboardJSONSchema/Metaschemas/Documents",
        sources: ["documents.c"]),
    .target(
        name: "PlugboardJSONSchema",
        dependencies: [
            "MetaschemaDocuments", "PlugboardSystem", "PlugboardJSON", "PlugboardMessages", "CPlugboardPCRE2",
            "CPlugboardIDN2",
        ],
        exclude: ["Metaschemas/Documents"], swiftSettings: strict),
    module("PlugboardSQLite", "PlugboardSystem", "PlugboardMessages", "CPlugboardSQLite"),
    module(
        "PlugboardCodecs", "PlugboardSystem", "PlugboardMessages", "PlugboardFieldValues", "PlugboardJSON",
        "PlugboardJSONCoding"),
    .target(
        name: "InspectPageDocuments", path: "Sources/PlugboardInspectPage/Documents", sources: ["documents.c"]),
    .target(
        name: "PlugboardInspectPage",
        dependencies: ["InspectPageDocuments", "PlugboardMessages", "PlugboardFieldValues"],
        exclude: ["Documents"], swiftSettings: strict),
    // Codecs on libraries that few programs need; FoundationEssentials is in none but these.
    module(
        "PlugboardPropertyList", "PlugboardCodecs", "PlugboardMessages", "PlugboardFieldValues", "PlugboardJSON"),
    module("PlugboardXML", "CPlugboardExpat", "PlugboardCodecs", "PlugboardMessages"),
    module("PlugboardProtobuf", "PlugboardCodecs", "PlugboardMessages", swiftProtobuf),
    // Not in PlugboardDownloads, so that programs with other downloads do not link libexpat.
    module("PlugboardMetalink", "PlugboardDownloads", "PlugboardXML", "PlugboardMessages"),
    // For programs that have these packages, or import Foundation; nothing here depends on them.
    module("PlugboardHTTPTypes", "PlugboardMessages", httpTypes),
    module("PlugboardFoundation", "PlugboardCodecs", "PlugboardJSONCoding", "PlugboardJSON", "PlugboardMessages"),
    module("PlugboardFoundationNetworking", "PlugboardMessages"),

    // 3: the transport; beside it the plugins, which know neither it nor the kernel
    module(
        "PlugboardCurl", "PlugboardSystem", "PlugboardTransport", "PlugboardEventLoop", "PlugboardMessages",
        "CPlugboardCurl"),

    // 4: the kernel
    module(
        "PlugboardCore", "PlugboardSystem", "PlugboardBorder", "CPlugboard", "PlugboardJSON", "PlugboardCurl",
        "PlugboardTransport",
        "PlugboardEventLoop", "PlugboardMessages", "CPlugboardEpoll"),

    // 5: the kernel with all bundled plugins, and what is built around it
    // Not in PlugboardCore, because a program that is configured in its code reads no text.
    module("PlugboardConfiguration", "PlugboardSystem", "PlugboardCore", "PlugboardBorder", "PlugboardJSON"),
    .target(
        name: "Plugboard",
        dependencies: [
            "PlugboardSystem", "PlugboardCore", "PlugboardConfiguration", "PlugboardControl", "PlugboardReachability",
            "PlugboardCodecs", "PlugboardFieldValues", "PlugboardTransport", "PlugboardEventLoop",
        ]
            + bundled.flatMap { [.target(name: "Plugboard\($0)"), .target(name: "Plugboard\($0)Options")] },
        swiftSettings: strict),
    // The system's network.
    module(
        "PlugboardReachability", "PlugboardSystem", "PlugboardCore", "PlugboardMessages", "PlugboardEventLoop",
        "CPlugboardNetlink"),
    // The socket of a running program.
    module(
        "PlugboardControl", "PlugboardSystem", "PlugboardCore", "PlugboardKit", "PlugboardMessages",
        "PlugboardFieldValues", "PlugboardJSON", "PlugboardObserving", "CPlugboardControl"),
    // Requests as objects, which need the kernel and no plugin.
    module(
        "PlugboardEndpoints", "PlugboardSystem", "PlugboardCore", "PlugboardConfiguration", "PlugboardKit",
        "PlugboardMessages", "PlugboardJSON", "PlugboardJSONCoding", "PlugboardCodecs",
        "PlugboardDownloads", "PlugboardCacheOptions", "PlugboardCookiesOptions", "PlugboardAuthenticationOptions",
        "PlugboardQueueOptions", "PlugboardRetryOptions", "PlugboardValidatorOptions"),
    // OpenAPI documents and definitions in YAML.
    module("PlugboardYAML", "CPlugboardYAML", "PlugboardEndpoints", "PlugboardJSON", "PlugboardMessages"),
    // For programs that have swift-log.
    module("PlugboardSwiftLog", "PlugboardCore", "PlugboardMessages", swiftLog),
    // For programs that have the server packages.
    module(
        "PlugboardMetrics", "PlugboardSystem", "PlugboardCore", "PlugboardKit", "PlugboardObserving", swiftMetrics),
    module(
        "PlugboardTracing", "PlugboardCore", "PlugboardKit", "PlugboardObserving", "PlugboardMessages", swiftTracing),
    module("PlugboardServiceLifecycle", "PlugboardCore", "PlugboardMessages", serviceLifecycle),
    module(
        "PluginLoader", "PlugboardSystem", "PlugboardCore", "PlugboardKit", "PlugboardMessages", "CPlugboard",
        "CPlugboardLtdl"),
    module(
        "PlugboardTesting", "PlugboardSystem", "PlugboardCore", "PlugboardConfiguration", "PlugboardReachability",
        "PlugboardKit", "PlugboardStore", "PlugboardTransport", "PlugboardEventLoop", "PlugboardMessages"),
    module(
        "PluginCheck", "PlugboardSystem", "PlugboardCore", "PluginLoader", "PlugboardKit", "PlugboardTesting",
        "CPlugboard", "PlugboardTransport",
        "PlugboardEventLoop",
        "PlugboardMessages", "PlugboardJSON"),
]

/// A program in the manner of one of the libraries that Plugboard descends from.
func ancestor(_ name: String, exclude: [String] = []) -> Target {
    .executableTarget(
        name: "Example\(name)",
        dependencies: [
            "PlugboardEndpoints", "Plugboard", "PlugboardPropertyList", "PlugboardXML", "PlugboardProtobuf",
            swiftProtobuf,
        ],
        path: "Examples/Ancestors/\(name)", exclude: exclude, swiftSettings: strict)
}

let programs: [Target] = [
    // The templates of `plugins new` as bytes; templates in C and C++ are not to be compiled here.
    .target(
        name: "ScaffoldTemplates", path: "Sources/PlugboardCommand/Scaffold/Templates", sources: ["templates.c"]),
    .executableTarget(
        name: "PlugboardCommand",
        dependencies: [
            "PlugboardSystem", "Plugboard", "PlugboardCore", "PlugboardCurl", "PlugboardTransport",
            "PlugboardEventLoop",
            "PluginLoader", "PluginCheck", "PlugboardControl", "PlugboardReachability",
            "PlugboardTesting", "PlugboardKit", "PlugboardMessages", "CPlugboard", "CPlugboardCurl", "CPlugboardEpoll",
            "ScaffoldTemplates", "PlugboardJSON",
            "PlugboardCodecs", "PlugboardDownloads", "PlugboardMetalink", "PlugboardUploads", "PlugboardEndpoints",
            "PlugboardJSONSchema", "PlugboardYAML",
            argumentParser,
        ],
        exclude: ["Scaffold/Templates"], swiftSettings: strict),
    // A program of its own, so that `plugboard` links neither a server nor Foundation.
    .executableTarget(
        name: "PlugboardInspect",
        dependencies: [
            "PlugboardSystem", "Plugboard", "PlugboardCore", "PlugboardControl", "PlugboardInspectPage",
            "PlugboardJSON", "PlugboardMessages", flyingFox,
        ],
        swiftSettings: strict),
    .executableTarget(
        name: "ExampleCore", dependencies: ["PlugboardCore"], path: "Examples/Core", swiftSettings: strict),
    .executableTarget(
        name: "ExampleSlim",
        dependencies: ["PlugboardCore", "PlugboardLogging", "PlugboardRedirect", "PlugboardRetry"],
        path: "Examples/Slim/Sources/Slim", swiftSettings: strict),
    .executableTarget(
        name: "ExampleProgram", dependencies: ["Plugboard", "PluginLoader"],
        path: "Examples/Program/Sources/Program", swiftSettings: strict),
    .executableTarget(
        name: "ExampleFeed", dependencies: ["Plugboard"], path: "Examples/Feed", swiftSettings: strict),
    .executableTarget(
        name: "ExampleLoops", dependencies: ["Plugboard"], path: "Examples/Loops", swiftSettings: strict),
    .executableTarget(
        name: "ExampleQueueing", dependencies: ["Plugboard"], path: "Examples/Offline/Queueing", swiftSettings: strict),
    .executableTarget(
        name: "ExampleDelivering", dependencies: ["Plugboard"], path: "Examples/Offline/Delivering",
        swiftSettings: strict),
    .executableTarget(
        name: "ExampleTransfers", dependencies: ["Plugboard", "PlugboardDownloads", "PlugboardUploads"],
        path: "Examples/Transfers", swiftSettings: strict),
    .executableTarget(
        name: "ExampleSeeing", dependencies: ["Plugboard"], path: "Examples/Seeing", exclude: ["mock.json", "run"],
        swiftSettings: strict),
    .executableTarget(
        name: "ExampleFleet", dependencies: ["Plugboard", "PlugboardRedis", .target(name: queueStore)],
        path: "Examples/Fleet", exclude: ["fleet.py", "run"], swiftSettings: strict),
    .executableTarget(
        name: "ExampleBodies", dependencies: ["Plugboard"], path: "Examples/Bodies", swiftSettings: strict),
    .target(
        name: "ExampleEveryday", dependencies: ["Plugboard"], path: "Examples/Everyday",
        exclude: ["URLSession.swift.txt", "AsyncHTTPClient.swift.txt", "Alamofire.swift.txt"], swiftSettings: strict),
    .executableTarget(
        name: "ExampleInCode", dependencies: ["Plugboard", "PlugboardKit"], path: "Examples/InCode",
        swiftSettings: strict),
    ancestor("RBEFireworks"),
    ancestor("CCNetwork"),
    ancestor("RFAPI", exclude: ["endpoints.json"]),
    ancestor("XMNetworking"),
    ancestor("AwesomeNetworking"),
    .target(
        name: "ExampleMigration", dependencies: ["Plugboard", "PlugboardEndpoints"], path: "Examples/Migration",
        swiftSettings: strict),
    .target(
        name: "ExampleCookbook", dependencies: ["PlugboardKit", "PlugboardStore"], path: "Examples/Cookbook",
        exclude: ["C", "Cpp", "Rust", "Scenarios"],
        swiftSettings: strict),
]

let plugins: [Target] =
    plugin("Logging", "PlugboardObserving") + plugin("Indicator")
    + plugin("Recorder", "PlugboardObserving", "PlugboardSQLite", "PlugboardInspectPage")
    + plugin("Telemetry", "PlugboardObserving")
    + plugin("Mock", "PlugboardObserving")
    + plugin("Decode", "CPlugboardZlib", "CPlugboardBrotli", "CPlugboardZstd")
    + plugin("Redirect")
    + plugin("Authentication", "PlugboardStore", "CPlugboardNettle")
    + plugin("Cookies", "PlugboardSQLite", "CPlugboardPSL")
    + plugin("Cache", "PlugboardRanges", "PlugboardSQLite", "PlugboardStore", structuredFields)
    + plugin("Queue", "PlugboardSQLite") + plugin("Limit", "PlugboardServerDelay", "PlugboardStore")
    + plugin("Resume", "PlugboardRanges") + plugin("Retry", "PlugboardServerDelay", "PlugboardStore")
    + plugin("Validator", "PlugboardJSONSchema")
    + plugin("Redis", "CPlugboardHiredis", "PlugboardStore")
    + [
        .target(
            name: queueStore,
            dependencies: [
                "PlugboardQueue", "PlugboardQueueOptions", "PlugboardKit", "PlugboardMessages", "PlugboardJSON",
                "PlugboardSQLite", "CPlugboardPostgreSQL",
            ],
            path: "Plugins/Queue/Sources/PlugboardQueuePostgreSQL", packageAccess: false, swiftSettings: strict)
    ]

let testTargets: [Target] = [
    module(
        "TestSupport", "PlugboardCore", "PluginLoader", "PlugboardKit",
        "PlugboardTransport", "PlugboardEventLoop", "PlugboardMessages", "CPlugboard", "PlugboardJSON",
        "PlugboardStore", "ExampleCookbook", path: "Tests/TestSupport"),
    tests("TestSupportTests"),
    tests("JSONTests", "PlugboardJSON", "PlugboardJSONCoding"),
    tests("JSONSchemaTests", "PlugboardJSONSchema", "PlugboardJSON", "PlugboardJSONCoding", "PlugboardSystem"),
    tests("MessagesTests", "PlugboardSystem", "PlugboardMessages"),
    tests("FieldValuesTests", "PlugboardFieldValues"),
    tests("RangesTests", "PlugboardRanges", "PlugboardMessages", "PlugboardFieldValues"),
    tests("ServerDelayTests", "PlugboardServerDelay", "PlugboardMessages"),
    tests("EventLoopTests", "PlugboardEventLoop", "PlugboardMessages"),
    tests("SQLiteStoreTests", "PlugboardSQLite", "CPlugboardSQLite"),
    tests(
        "PlugboardStoreTests", "PlugboardStore", "CPlugboard", "PlugboardTesting", "PlugboardKit",
        "PlugboardMessages"),
    tests("PlugboardKitTests", "PlugboardKit", "CPlugboard", "PlugboardJSON", "PlugboardMessages"),
    tests(
        "PlugboardSwiftLogTests", "PlugboardSwiftLog", "Plugboard", "PlugboardCore", "PlugboardMessages", swiftLog),
    tests(
        "PlugboardMetricsTests", "PlugboardMetrics", "Plugboard", "PlugboardCore", "PlugboardMessages", swiftMetrics),
    tests(
        "PlugboardTracingTests", "PlugboardTracing", "Plugboard", "PlugboardCore", "PlugboardMessages", swiftTracing,
        inMemoryTracing),
    tests(
        "PlugboardServiceLifecycleTests", "PlugboardServiceLifecycle", "Plugboard", "PlugboardMessages",
        serviceLifecycle, serviceLifecycleTesting),
    tests(
        "PlugboardControlTests", "PlugboardControl", "CPlugboardControl", "Plugboard", "PlugboardCore", "PlugboardKit",
        "PlugboardMessages", "PlugboardJSON", "PlugboardSystem"),
    tests(
        "ObservingTests", "PlugboardObserving", "Plugboard", "PlugboardKit", "PlugboardMessages"),
    tests("PlugboardHTTPTypesTests", "PlugboardHTTPTypes", "PlugboardMessages", httpTypes),
    tests(
        "PlugboardFoundationTests", "PlugboardFoundation", "PlugboardEndpoints", "PlugboardTesting", "Plugboard",
        "PlugboardMessages"),
    tests(
        "PlugboardFoundationNetworkingTests", "PlugboardFoundationNetworking", "Plugboard", "PlugboardMessages"),
    tests(
        "CodecsTests", "PlugboardCodecs", "Plugboard", "PlugboardCore", "PlugboardKit", "PlugboardMessages",
        "PlugboardJSON", "PlugboardJSONCoding", "PlugboardTransport", "PlugboardEventLoop"),
    tests(
        "PropertyListTests", "PlugboardPropertyList", "PlugboardCodecs", "Plugboard", "PlugboardMessages",
        "PlugboardJSON"),
    tests("XMLTests", "PlugboardXML", "PlugboardCodecs", "Plugboard", "PlugboardMessages"),
    tests("ProtobufTests", "PlugboardProtobuf", "PlugboardCodecs", "Plugboard", "PlugboardMessages", swiftProtobuf),
    tests(
        "EndpointsTests", "PlugboardEndpoints", "PlugboardCodecs", "Plugboard", "PlugboardCore", "PlugboardKit",
        "PlugboardMessages", "PlugboardJSON", "PlugboardJSONCoding", "PlugboardTransport", "PlugboardEventLoop",
        "PlugboardTesting", "PluginLoader", "PlugboardPropertyList"),
    tests("YAMLTests", "PlugboardYAML", "PlugboardEndpoints", "PlugboardJSON", "PlugboardMessages", "Plugboard"),
    tests(
        "ReachabilityTests", "PlugboardReachability", "CPlugboardNetlink", "PlugboardCore",
        "PlugboardKit", "PlugboardMessages", "PlugboardEventLoop"),
    tests(
        "CurlTransportTests", "PlugboardCurl", "CPlugboardCurl", "PlugboardTransport", "PlugboardEventLoop",
        "PlugboardMessages"),
    tests(
        "PlugboardCoreTests", "PlugboardSystem", "Plugboard", "PlugboardCore", "PlugboardKit", "CPlugboard",
        "PlugboardTransport",
        "PlugboardEventLoop",
        "PlugboardMessages", "PlugboardJSON", "PluginLoader"),
    tests(
        "PlugboardConfigurationTests", "PlugboardConfiguration", "PlugboardSystem", "Plugboard", "PlugboardKit",
        "PlugboardJSON"),
    tests(
        "PluginLoaderTests", "PlugboardSystem", "PluginLoader", "Plugboard", "PlugboardCore", "PlugboardKit",
        "PlugboardMessages",
        "CPlugboard"),
    tests(
        "DownloadsTests", "PlugboardSystem", "PlugboardDownloads", "PlugboardMetalink", "PlugboardRanges",
        "PlugboardFileClaims", "Plugboard", "PlugboardKit", "PlugboardMessages"),
    tests(
        "UploadsTests", "PlugboardUploads", "Plugboard", "PlugboardKit", "PlugboardMessages"),
    pluginTests("Logging", "PlugboardObserving"),
    pluginTests("Indicator"),
    pluginTests("Recorder", "PlugboardSQLite", "PlugboardJSONSchema"),
    pluginTests("Telemetry"),
    pluginTests("Mock"),
    pluginTests("Decode", "CPlugboardZlib", "CPlugboardBrotli", "CPlugboardZstd"),
    pluginTests("Redirect"),
    pluginTests("Authentication", "PlugboardStore"),
    pluginTests("Cookies", "PlugboardSQLite"),
    pluginTests("Cache", "PlugboardSQLite", "PlugboardStore", "ExampleCookbook"),
    pluginTests("Queue", "PlugboardSQLite", .target(name: queueStore)),
    pluginTests("Limit", "PlugboardStore"),
    pluginTests("Resume", "PlugboardRanges"),
    pluginTests("Retry", "PlugboardServerDelay", "PlugboardStore"),
    pluginTests("Validator", "PlugboardJSONSchema"),
    pluginTests(
        "Redis", "PlugboardStore", "PlugboardTesting", "PlugboardLimit", "PlugboardLimitOptions", "PlugboardRetry",
        "PlugboardAuthentication", "PlugboardCache", "PlugboardCacheOptions"),
    tests("PluginCheckTests", "PluginCheck", "PlugboardKit", "CPlugboard", "PlugboardMessages", "PlugboardJSON"),
    tests(
        "PlugboardTestingTests", "PlugboardTesting", "Plugboard", "PlugboardKit", "PlugboardMessages", "PluginLoader"
    ),
    tests(
        "InspectTests", "Plugboard", "PlugboardInspectPage", "PlugboardJSON", "PlugboardMessages",
        "PlugboardFieldValues"),
    tests(
        "PlugboardCommandTests", "PlugboardCommand", "Plugboard", "PlugboardControl", "CPlugboardControl",
        "PlugboardJSON",
        "PlugboardMessages"),
    tests(
        "ExamplesTests", "Plugboard", "PluginLoader", "PlugboardTesting", "PlugboardKit", "PlugboardStore",
        "PlugboardMessages",
        "PlugboardJSON",
        "ExampleCookbook", "ExampleMigration", "ExampleEveryday"),
]

// Compiled with the tests, so that no change breaks a fuzzer unseen. The package in Tests/Fuzz makes programs of them,
// and sees this package without `PLUGBOARD_STRICT`.
let fuzzers: [Target] = [
    .target(name: "Fuzzing", path: "Tests/Fuzz/Sources/Fuzzing", swiftSettings: strict),
    fuzzer("Configuration", "CPlugboard", "PlugboardConfiguration", "PlugboardCore", "PlugboardJSON", "PlugboardKit"),
    fuzzer("Cookies", "PlugboardCookies", "PlugboardKit"),
    fuzzer("Decode", "PlugboardDecode", "PlugboardKit"),
    fuzzer("Definitions", "PlugboardEndpoints", "PlugboardJSON", "PlugboardKit", "PlugboardValidator"),
    fuzzer("ELF", "PlugboardKit", "PluginLoader"),
    fuzzer("JSONCoding", "PlugboardJSON", "PlugboardJSONCoding"),
    fuzzer("JSON", "PlugboardJSON", "PlugboardJSONCoding"),
    fuzzer("PropertyList", "PlugboardMessages", "PlugboardPropertyList"),
    fuzzer("Retry", "PlugboardKit", "PlugboardRetry", "PlugboardServerDelay"),
    fuzzer("Schema", "PlugboardJSON", "PlugboardJSONSchema"),
    fuzzer("ServerSentEvents", "PlugboardCodecs", "PlugboardMessages"),
    fuzzer("Store", "PlugboardCache", "PlugboardCookies", "PlugboardKit", "PlugboardSQLite"),
    fuzzer("StoredResponse", "PlugboardCache", "PlugboardCacheOptions", "PlugboardKit", "PlugboardSQLite"),
    fuzzer("URL", "PlugboardCache", "PlugboardCookies", "PlugboardKit", "PlugboardRedirect"),
    fuzzer("WWWAuthenticate", "PlugboardAuthentication", "PlugboardKit"),
    fuzzer("XML", "PlugboardMessages", "PlugboardXML"),
    fuzzer("YAML", "PlugboardJSON", "PlugboardMessages", "PlugboardYAML"),
]

let package = Package(
    name: "plugboard",
    products: [
        .library(name: "PlugboardCore", targets: ["PlugboardCore"]),
        .library(name: "Plugboard", targets: ["Plugboard"]),
        .library(name: "PlugboardConfiguration", targets: ["PlugboardConfiguration"]),
        .library(name: "PlugboardKit", targets: ["PlugboardKit"]),
        .library(name: "PluginLoader", targets: ["PluginLoader"]),
        .library(name: "PlugboardJSON", targets: ["PlugboardJSON", "PlugboardJSONCoding"]),
        .library(name: "PlugboardJSONSchema", targets: ["PlugboardJSONSchema"]),
        .library(name: "PlugboardFieldValues", targets: ["PlugboardFieldValues"]),
        .library(name: "PlugboardCodecs", targets: ["PlugboardCodecs"]),
        .library(name: "PlugboardPropertyList", targets: ["PlugboardPropertyList"]),
        .library(name: "PlugboardXML", targets: ["PlugboardXML"]),
        .library(name: "PlugboardProtobuf", targets: ["PlugboardProtobuf"]),
        .library(name: "PlugboardDownloads", targets: ["PlugboardDownloads"]),
        .library(name: "PlugboardMetalink", targets: ["PlugboardMetalink"]),
        .library(name: "PlugboardUploads", targets: ["PlugboardUploads"]),
        .library(name: "PlugboardEndpoints", targets: ["PlugboardEndpoints"]),
        .library(name: "PlugboardYAML", targets: ["PlugboardYAML"]),
        .library(name: "PlugboardReachability", targets: ["PlugboardReachability"]),
        .library(name: "PlugboardTransport", targets: ["PlugboardTransport", "PlugboardEventLoop"]),
        .library(name: "PlugboardStore", targets: ["PlugboardStore"]),
        .library(name: "PlugboardTesting", targets: ["PlugboardTesting"]),
        .library(name: "PlugboardHTTPTypes", targets: ["PlugboardHTTPTypes"]),
        .library(name: "PlugboardSwiftLog", targets: ["PlugboardSwiftLog"]),
        .library(name: "PlugboardMetrics", targets: ["PlugboardMetrics"]),
        .library(name: "PlugboardTracing", targets: ["PlugboardTracing"]),
        .library(name: "PlugboardServiceLifecycle", targets: ["PlugboardServiceLifecycle"]),
        .library(name: "PlugboardControl", targets: ["PlugboardControl"]),
        .library(name: "PlugboardFoundation", targets: ["PlugboardFoundation"]),
        .library(name: "PlugboardFoundationNetworking", targets: ["PlugboardFoundationNetworking"]),
        .executable(name: "plugboard", targets: ["PlugboardCommand"]),
        .executable(name: "plugboard-inspect", targets: ["PlugboardInspect"]),
        .executable(name: "plugboard-core", targets: ["ExampleCore"]),
        .library(name: queueStore, targets: [queueStore, "PlugboardQueueOptions"]),
        .library(name: "plugboard-queue-postgresql", type: .dynamic, targets: [queueStore]),
    ]
        // Linked one by one; of a plugin that is loaded, a program needs the options only.
        + (bundled + engines).map {
            .library(name: "Plugboard\($0)", targets: ["Plugboard\($0)", "Plugboard\($0)Options"])
        }
        + (bundled + engines).map { .library(name: "Plugboard\($0)Options", targets: ["Plugboard\($0)Options"]) }
        + (bundled + engines).map {
            .library(name: "plugboard-\($0.lowercased())", type: .dynamic, targets: ["Plugboard\($0)"])
        },
    // By default one trait stands for all: SwiftPM writes the flags of several in random order, and each order
    // recompiles the package.
    traits: [
        .trait(name: "AllPackages", description: "All products, and the packages that they need."),
        .trait(name: "StructuredFields", description: "Plugboard and its plugins cache, limit and retry."),
        .trait(name: "HTTPTypes", description: "PlugboardHTTPTypes, which needs swift-http-types."),
        .trait(name: "SwiftLog", description: "PlugboardSwiftLog, which needs swift-log."),
        .trait(name: "Metrics", description: "PlugboardMetrics, which needs swift-metrics."),
        .trait(name: "Tracing", description: "PlugboardTracing, which needs swift-distributed-tracing."),
        .trait(
            name: "ServiceLifecycle", description: "PlugboardServiceLifecycle, which needs swift-service-lifecycle."),
        .trait(name: "Protobuf", description: "PlugboardProtobuf, which needs swift-protobuf."),
        .trait(name: "Command", description: "The command, which needs swift-argument-parser."),
        .trait(name: "Inspect", description: "plugboard-inspect, the page's server, which needs FlyingFox."),
        .default(enabledTraits: ["AllPackages"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-http-types.git", from: "1.8.0", traits: []),
        .package(url: "https://github.com/apple/swift-http-structured-headers.git", from: "1.7.0"),
        .package(url: "https://github.com/apple/swift-log.git", from: "1.16.0"),
        .package(url: "https://github.com/apple/swift-metrics.git", from: "2.13.0"),
        .package(url: "https://github.com/apple/swift-distributed-tracing.git", from: "1.7.3"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle.git", from: "2.13.0"),
        .package(url: "https://github.com/apple/swift-protobuf.git", from: "1.39.0"),
        .package(url: "https://github.com/apple/swift-argument-parser.git", from: "1.8.0"),
        .package(url: "https://github.com/swhitty/FlyingFox.git", from: "0.27.1"),
    ],
    targets: systemLibraries + layers + plugins + programs + testTargets + (strict.isEmpty ? [] : fuzzers),
    swiftLanguageModes: [.v6]
)
