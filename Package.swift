// swift-tools-version:6.2
import PackageDescription

// A slim program depends on the product PlugboardCore and on the plugins that it links; nothing else is compiled.
let bundled = ["Logging", "Decode", "Redirect", "Authentication", "Cookies", "Cache", "Retry"]

// CI sets this, so that the warnings of a new compiler break the build of this repository only.
let strict: [SwiftSetting] =
    Context.environment["PLUGBOARD_STRICT"] == nil ? [] : [.treatAllWarnings(as: .error)]

let httpTypes: Target.Dependency = .product(name: "HTTPTypes", package: "swift-http-types")
let swiftLog: Target.Dependency = .product(name: "Logging", package: "swift-log")
let argumentParser: Target.Dependency = .product(name: "ArgumentParser", package: "swift-argument-parser")
let structuredFields: Target.Dependency = .product(
    name: "RawStructuredFieldValues", package: "swift-http-structured-headers")

func module(_ name: String, _ dependencies: Target.Dependency..., path: String? = nil) -> Target {
    .target(name: name, dependencies: dependencies, path: path, swiftSettings: strict)
}

/// A bundled plugin: its code, its options, and what its shared object says of itself.
///
/// It uses what every plugin can use: without access to the package, the compiler refuses anything that is not public.
func plugin(_ name: String, _ dependencies: Target.Dependency...) -> [Target] {
    let own: [Target.Dependency] = [
        "PlugboardKit", "Messages", "CPlugboard", "JSON", .target(name: "\(name)Options"),
        .target(name: "\(name)Metadata"),
    ]
    return [
        .target(
            name: "\(name)Plugin", dependencies: own + dependencies, path: "Plugins/\(name)/Sources/\(name)Plugin",
            packageAccess: false, swiftSettings: strict),
        .target(
            name: "\(name)Options", dependencies: ["PlugboardKit", "Messages", "JSON"],
            path: "Plugins/\(name)/Sources/\(name)Options", packageAccess: false, swiftSettings: strict),
        .target(
            name: "\(name)Metadata", dependencies: ["CPlugboard"], path: "Plugins/\(name)/Sources/\(name)Metadata"),
    ]
}

func tests(_ name: String, _ dependencies: Target.Dependency...) -> Target {
    .testTarget(
        name: name, dependencies: dependencies + ["TestSupport"], path: "Tests/\(name)", swiftSettings: strict)
}

/// The tests of a bundled plugin, linked and loaded.
func pluginTests(_ name: String, _ dependencies: Target.Dependency...) -> Target {
    let own: [Target.Dependency] = [
        .target(name: "\(name)Plugin"), .target(name: "\(name)Options"), "Plugboard", "PlugboardCore", "PluginLoader",
        "PlugboardKit", "Transporting", "EventLoop", "Messages", "JSON",
    ]
    return .testTarget(
        name: "\(name)Tests", dependencies: own + dependencies + ["TestSupport"], path: "Tests/\(name)Tests",
        swiftSettings: strict)
}

let systemLibraries: [Target] = [
    .systemLibrary(name: "CEpoll"),
    .systemLibrary(name: "CCurl", pkgConfig: "libcurl", providers: [.apt(["libcurl4-openssl-dev"])]),
    .systemLibrary(name: "CLtdl", providers: [.apt(["libltdl-dev"])]),
    .systemLibrary(name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
    .systemLibrary(name: "CPSL", pkgConfig: "libpsl", providers: [.apt(["libpsl-dev"])]),
    .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),
    .systemLibrary(name: "CBrotli", pkgConfig: "libbrotlidec", providers: [.apt(["libbrotli-dev"])]),
    .systemLibrary(name: "CZstd", pkgConfig: "libzstd", providers: [.apt(["libzstd-dev"])]),
]

// Lower layers first; a layer depends on those below it.
let layers: [Target] = [
    // 1: messages and their bytes
    .target(name: "CPlugboard"),
    module("JSON"),
    module("JSONCoding", "JSON"),
    module("Messages"),

    // 2: what plugins, transports and programs are written against
    module("EventLoop", "Messages", "CEpoll"),
    module("Transporting", "Messages", "EventLoop"),
    module("PlugboardKit", "Messages", "CPlugboard", "JSON"),
    module("SQLiteStore", "Messages", "CSQLite"),
    // For programs that have these packages, or import Foundation; nothing here depends on them.
    module("PlugboardHTTPTypes", "Messages", httpTypes),
    module("PlugboardFoundation", "Messages"),

    // 3: the transport; beside it the plugins, which know neither it nor the kernel
    module("CurlTransport", "Transporting", "EventLoop", "Messages", "CCurl"),

    // 4: the kernel
    module(
        "PlugboardCore", "PlugboardKit", "CPlugboard", "JSON", "CurlTransport", "Transporting", "EventLoop", "Messages",
        "CEpoll"),

    // 5: the kernel with all bundled plugins, and what is built around it
    .target(
        name: "Plugboard",
        dependencies: ["PlugboardCore", "Transporting", "EventLoop"]
            + bundled.flatMap { [.target(name: "\($0)Plugin"), .target(name: "\($0)Options")] },
        swiftSettings: strict),
    // For programs that have swift-log.
    module("PlugboardLogging", "PlugboardCore", "Messages", swiftLog),
    module("PluginLoader", "PlugboardCore", "PlugboardKit", "Messages", "CPlugboard", "CLtdl"),
    module("PlugboardTesting", "PlugboardCore", "PlugboardKit", "Transporting", "EventLoop", "Messages"),
    module(
        "PluginCheck", "PlugboardCore", "PluginLoader", "PlugboardKit", "CPlugboard", "Transporting", "EventLoop",
        "Messages", "JSON"),
]

let programs: [Target] = [
    // The templates of `plugins new` as bytes; templates in C and C++ are not to be compiled here.
    .target(
        name: "ScaffoldTemplates", path: "Sources/PlugboardCommand/Scaffold/Templates", sources: ["templates.c"]),
    .executableTarget(
        name: "PlugboardCommand",
        dependencies: [
            "Plugboard", "PlugboardCore", "CurlTransport", "Transporting", "EventLoop", "PluginLoader", "PluginCheck",
            "PlugboardTesting", "PlugboardKit", "Messages", "CPlugboard", "ScaffoldTemplates", "JSON", argumentParser,
        ],
        exclude: ["Scaffold/Templates"], swiftSettings: strict),
    .executableTarget(
        name: "Core", dependencies: ["PlugboardCore"], path: "Examples/Core", swiftSettings: strict),
    .executableTarget(
        name: "ExampleSlim", dependencies: ["PlugboardCore", "LoggingPlugin", "RedirectPlugin", "RetryPlugin"],
        path: "Examples/Slim/Sources/Slim", swiftSettings: strict),
    .executableTarget(
        name: "ExampleProgram", dependencies: ["Plugboard", "PluginLoader"],
        path: "Examples/Program/Sources/Program", swiftSettings: strict),
    .executableTarget(
        name: "ExampleFeed", dependencies: ["Plugboard"], path: "Examples/Feed", swiftSettings: strict),
    .executableTarget(
        name: "ExampleInCode", dependencies: ["Plugboard", "PlugboardKit"], path: "Examples/InCode",
        swiftSettings: strict),
    .target(
        name: "ExampleMigration", dependencies: ["Plugboard"], path: "Examples/Migration", swiftSettings: strict),
    .target(
        name: "ExampleCookbook", dependencies: ["PlugboardKit"], path: "Examples/Cookbook",
        exclude: ["C", "Cpp", "Rust", "Scenarios"],
        swiftSettings: strict),
]

let plugins: [Target] =
    plugin("Logging") + plugin("Decode", "CZlib", "CBrotli", "CZstd") + plugin("Redirect") + plugin("Authentication")
    + plugin("Cookies", "SQLiteStore", "CPSL") + plugin("Cache", "SQLiteStore", structuredFields)
    + plugin("Retry", structuredFields)

let testTargets: [Target] = [
    module(
        "TestSupport", "PlugboardCore", "PlugboardKit", "Transporting", "EventLoop", "Messages", "CPlugboard", "JSON",
        path: "Tests/TestSupport"),
    tests("TestSupportTests"),
    tests("JSONTests", "JSON", "JSONCoding"),
    tests("MessagesTests", "Messages"),
    tests("EventLoopTests", "EventLoop", "Messages"),
    tests("SQLiteStoreTests", "SQLiteStore", "CSQLite"),
    tests("PlugboardKitTests", "PlugboardKit", "CPlugboard", "Messages"),
    tests("PlugboardLoggingTests", "PlugboardLogging", "PlugboardCore", "Messages", swiftLog),
    tests("PlugboardHTTPTypesTests", "PlugboardHTTPTypes", "Messages", httpTypes),
    tests(
        "PlugboardFoundationTests", "PlugboardFoundation", "Messages", "EventLoop", "Transporting", "PlugboardKit",
        "PlugboardCore", "Plugboard", "PluginLoader", "PlugboardTesting", "JSON", "CurlTransport",
        "AuthenticationOptions",
        "CacheOptions", "CookiesOptions", "DecodeOptions", "LoggingOptions", "RedirectOptions", "RetryOptions"),
    tests("CurlTransportTests", "CurlTransport", "Transporting", "EventLoop", "Messages"),
    tests(
        "PlugboardCoreTests", "Plugboard", "PlugboardCore", "PlugboardKit", "CPlugboard", "Transporting", "EventLoop",
        "Messages", "JSON", "PluginLoader"),
    tests("PluginLoaderTests", "PluginLoader", "Plugboard", "PlugboardCore", "PlugboardKit", "Messages", "CPlugboard"),
    pluginTests("Logging"),
    pluginTests("Decode", "CZlib", "CBrotli", "CZstd"),
    pluginTests("Redirect"),
    pluginTests("Authentication"),
    pluginTests("Cookies", "SQLiteStore"),
    pluginTests("Cache", "SQLiteStore"),
    pluginTests("Retry"),
    tests("PluginCheckTests", "PluginCheck", "PlugboardKit", "CPlugboard", "Messages", "JSON"),
    tests("PlugboardTestingTests", "PlugboardTesting", "Plugboard", "PlugboardKit", "Messages", "PluginLoader"),
    tests("PlugboardCommandTests", "PlugboardCommand", "JSON"),
    tests(
        "ExamplesTests", "Plugboard", "PluginLoader", "PlugboardTesting", "PlugboardKit", "Messages", "JSON",
        "ExampleCookbook", "ExampleMigration"),
]

let package = Package(
    name: "plugboard",
    products: [
        .library(name: "PlugboardCore", targets: ["PlugboardCore"]),
        .library(name: "Plugboard", targets: ["Plugboard"]),
        .library(name: "PlugboardKit", targets: ["PlugboardKit"]),
        .library(name: "PluginLoader", targets: ["PluginLoader"]),
        .library(name: "JSON", targets: ["JSON", "JSONCoding"]),
        .library(name: "Transporting", targets: ["Transporting", "EventLoop"]),
        .library(name: "PlugboardTesting", targets: ["PlugboardTesting"]),
        .library(name: "PlugboardHTTPTypes", targets: ["PlugboardHTTPTypes"]),
        .library(name: "PlugboardLogging", targets: ["PlugboardLogging"]),
        .library(name: "PlugboardFoundation", targets: ["PlugboardFoundation"]),
        .executable(name: "plugboard", targets: ["PlugboardCommand"]),
        .executable(name: "plugboard-core", targets: ["Core"]),
    ]
        // Linked one by one; of a plugin that is loaded, a program needs the options only.
        + bundled.map { .library(name: "\($0)Plugin", targets: ["\($0)Plugin", "\($0)Options"]) }
        + bundled.map { .library(name: "\($0)Options", targets: ["\($0)Options"]) }
        + bundled.map { .library(name: "plugboard-\($0.lowercased())", type: .dynamic, targets: ["\($0)Plugin"]) },
    dependencies: [
        .package(url: "https://github.com/apple/swift-http-types.git", from: "1.8.0", traits: []),
        .package(url: "https://github.com/apple/swift-http-structured-headers.git", from: "1.7.0"),
        .package(url: "https://github.com/apple/swift-log.git", from: "1.16.0"),
        .package(url: "https://github.com/apple/swift-argument-parser.git", from: "1.8.0"),
    ],
    targets: systemLibraries + layers + plugins + programs + testTargets,
    swiftLanguageModes: [.v6]
)
