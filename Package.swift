// swift-tools-version:6.2
import PackageDescription

// What is linked, by trait. Without any (`--disable-default-traits`) the product `plugboard-core` needs libcurl's headers
// and nothing else.
let bundled = ["Logging", "Decode", "Redirect", "Authentication", "Cookies", "Cache", "Retry"]
let traits = bundled + ["HTTPTypes", "SwiftLog", "Command"]

// CI sets this, so that a new compiler's new warnings break our build and nobody else's.
let strict: [SwiftSetting] =
    Context.environment["PLUGBOARD_STRICT"] == nil ? [] : [.treatAllWarnings(as: .error)]

let tests: [(name: String, dependencies: [Target.Dependency])] = [
    ("JSONTests", ["JSON", "JSONCoding"]),
    (
        "PlugboardKitTests",
        [
            "PlugboardKit",
            .product(name: "HTTPTypes", package: "swift-http-types", condition: .when(traits: ["HTTPTypes"])),
        ]
    ),
    ("CurlTransportTests", ["CurlTransport", "PlugboardKit"]),
    ("PlugboardTests", ["Plugboard", "PlugboardKit", "CPlugboard", "CurlTransport", "JSON", "PluginLoader"]),
    ("PluginLoaderTests", ["PluginLoader", "Plugboard", "PlugboardKit", "CPlugboard"]),
    ("LoggingTests", ["LoggingPlugin", "LoggingOptions", "Plugboard", "PluginLoader", "PlugboardKit", "JSON"]),
    (
        "DecodeTests",
        ["DecodePlugin", "DecodeOptions", "Plugboard", "PluginLoader", "PlugboardKit", "CZlib", "CBrotli", "CZstd"]
    ),
    ("RedirectTests", ["RedirectPlugin", "RedirectOptions", "Plugboard", "PluginLoader", "PlugboardKit"]),
    (
        "AuthenticationTests",
        [
            "AuthenticationPlugin", "AuthenticationOptions", "Plugboard", "PluginLoader", "PlugboardKit", "JSON",
            "CurlTransport",
        ]
    ),
    (
        "CookiesTests",
        [
            "CookiesPlugin", "CookiesOptions", "Plugboard", "PluginLoader", "PlugboardKit", "JSON", "SQLiteStore",
            "CurlTransport",
        ]
    ),
    (
        "CacheTests",
        [
            "CachePlugin", "CacheOptions", "Plugboard", "PluginLoader", "PlugboardKit", "JSON", "SQLiteStore",
            "CurlTransport",
        ]
    ),
    (
        "RetryTests",
        ["RetryPlugin", "RetryOptions", "Plugboard", "PluginLoader", "PlugboardKit", "JSON", "CurlTransport"]
    ),
    ("PluginCheckTests", ["PluginCheck", "PlugboardKit", "CPlugboard", "JSON"]),
    ("SQLiteStoreTests", ["SQLiteStore", "CSQLite"]),
    ("PlugboardCommandTests", ["PlugboardCommand", "JSON"]),
    ("ExamplesTests", ["Plugboard", "PluginLoader", "PlugboardTesting", "JSON", "ExampleCookbook"]),
    ("PlugboardTestingTests", ["PlugboardTesting", "Plugboard", "PlugboardKit", "PluginLoader"]),
    ("PlugboardFoundationTests", ["PlugboardFoundation", "PlugboardKit"]),
    ("TestSupportTests", []),
]

let structuredFields: Target.Dependency = .product(
    name: "RawStructuredFieldValues", package: "swift-http-structured-headers")

/// A bundled plugin: its code, its options, and what its shared object says of itself.
func plugin(_ name: String, _ dependencies: [Target.Dependency] = []) -> [Target] {
    [
        .target(
            name: "\(name)Plugin",
            dependencies: [
                "PlugboardKit", "CPlugboard", "JSON", .target(name: "\(name)Options"), .target(name: "\(name)Metadata"),
            ]
                + dependencies,
            path: "Plugins/\(name)/Sources/\(name)Plugin", swiftSettings: strict),
        .target(
            name: "\(name)Options", dependencies: ["PlugboardKit", "JSON"],
            path: "Plugins/\(name)/Sources/\(name)Options",
            swiftSettings: strict),
        .target(
            name: "\(name)Metadata", dependencies: ["CPlugboard"], path: "Plugins/\(name)/Sources/\(name)Metadata"),
    ]
}

let package = Package(
    name: "plugboard",
    products: [
        .library(name: "Plugboard", targets: ["Plugboard"]),
        .library(name: "PlugboardKit", targets: ["PlugboardKit"]),
        .library(name: "PluginLoader", targets: ["PluginLoader"]),
        .library(name: "PlugboardFoundation", targets: ["PlugboardFoundation"]),
        .library(name: "PlugboardTesting", targets: ["PlugboardTesting"]),
        .executable(name: "plugboard", targets: ["PlugboardCommand"]),
        .executable(name: "plugboard-core", targets: ["Core"]),
    ]
        + bundled.map { .library(name: "\($0)Options", targets: ["\($0)Options"]) }
        + bundled.map { .library(name: "plugboard-\($0.lowercased())", type: .dynamic, targets: ["\($0)Plugin"]) },
    traits: Set(traits.map { .trait(name: $0) } + [.default(enabledTraits: Set(traits))]),
    dependencies: [
        .package(url: "https://github.com/apple/swift-http-types.git", from: "1.8.0", traits: []),
        .package(url: "https://github.com/apple/swift-http-structured-headers.git", from: "1.7.0"),
        .package(url: "https://github.com/apple/swift-log.git", from: "1.16.0"),
        .package(url: "https://github.com/apple/swift-argument-parser.git", from: "1.8.0"),
    ],
    targets: [
        // 1: no more than C and the standard library
        .target(name: "CPlugboard"),
        .target(name: "JSON", swiftSettings: strict),
        .target(name: "JSONCoding", dependencies: ["JSON"], swiftSettings: strict),
        .systemLibrary(name: "CCurl", pkgConfig: "libcurl", providers: [.apt(["libcurl4-openssl-dev"])]),
        .systemLibrary(name: "CLtdl", providers: [.apt(["libltdl-dev"])]),
        .systemLibrary(name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
        .systemLibrary(name: "CPSL", pkgConfig: "libpsl", providers: [.apt(["libpsl-dev"])]),
        .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),
        .systemLibrary(name: "CBrotli", pkgConfig: "libbrotlidec", providers: [.apt(["libbrotli-dev"])]),
        .systemLibrary(name: "CZstd", pkgConfig: "libzstd", providers: [.apt(["libzstd-dev"])]),

        // 2: what plugins are written against
        .target(
            name: "PlugboardKit",
            dependencies: [
                "CPlugboard", "JSON",
                .product(name: "HTTPTypes", package: "swift-http-types", condition: .when(traits: ["HTTPTypes"])),
            ],
            swiftSettings: strict),
        .target(name: "SQLiteStore", dependencies: ["CSQLite"], swiftSettings: strict),
        // For programs that import Foundation; nothing here depends on it.
        .target(name: "PlugboardFoundation", dependencies: ["PlugboardKit"], swiftSettings: strict),

        // 3: transport and plugins, which do not know the kernel
        .target(name: "CurlTransport", dependencies: ["PlugboardKit", "CCurl"], swiftSettings: strict),

        // 4: the kernel
        .target(
            name: "Plugboard",
            dependencies: [
                "PlugboardKit", "CPlugboard", "JSON", "CurlTransport", "CCurl",
                .product(name: "Logging", package: "swift-log", condition: .when(traits: ["SwiftLog"])),
            ] + bundled.map { .target(name: "\($0)Plugin", condition: .when(traits: [$0])) },
            swiftSettings: strict),

        // 5
        .target(
            name: "PluginLoader", dependencies: ["Plugboard", "PlugboardKit", "CPlugboard", "CLtdl"],
            swiftSettings: strict),

        .target(
            name: "PlugboardTesting", dependencies: ["Plugboard", "PlugboardKit", "CurlTransport"],
            swiftSettings: strict),
        .target(
            name: "PluginCheck",
            dependencies: ["Plugboard", "PluginLoader", "PlugboardKit", "CPlugboard", "CurlTransport", "JSON"],
            swiftSettings: strict),

        // 6: programs
        // The templates of `plugins new` as bytes; templates in C and C++ are not to be compiled here.
        .target(
            name: "ScaffoldTemplates", path: "Sources/PlugboardCommand/Scaffold/Templates", sources: ["templates.c"]),
        .executableTarget(
            name: "PlugboardCommand",
            dependencies: [
                "Plugboard", "CurlTransport", "PluginLoader", "PluginCheck", "PlugboardTesting", "PlugboardKit",
                "CPlugboard", "ScaffoldTemplates", "JSON",
                .product(
                    name: "ArgumentParser", package: "swift-argument-parser", condition: .when(traits: ["Command"])),
            ],
            exclude: ["Scaffold/Templates"], swiftSettings: strict),
        .executableTarget(name: "Core", dependencies: ["Plugboard"], path: "Examples/Core", swiftSettings: strict),
        .executableTarget(
            name: "ExampleProgram", dependencies: ["Plugboard", "PluginLoader"],
            path: "Examples/Program/Sources/Program", swiftSettings: strict),
        .executableTarget(
            name: "ExampleFeed", dependencies: ["Plugboard", "RedirectOptions"], path: "Examples/Feed",
            swiftSettings: strict),
        .target(
            name: "ExampleCookbook", dependencies: ["PlugboardKit"], path: "Examples/Cookbook",
            exclude: ["C", "Cpp", "Rust", "Scenarios"],
            swiftSettings: strict),

        .target(
            name: "TestSupport", dependencies: ["Plugboard", "PlugboardKit", "CPlugboard", "JSON"],
            path: "Tests/TestSupport", swiftSettings: strict),
    ]
        + plugin("Logging") + plugin("Decode", ["CZlib", "CBrotli", "CZstd"]) + plugin("Redirect")
        + plugin("Authentication") + plugin("Cookies", ["SQLiteStore", "CPSL"])
        + plugin("Cache", ["SQLiteStore", structuredFields]) + plugin("Retry", [structuredFields])
        + tests.map { test in
            .testTarget(
                name: test.name, dependencies: test.dependencies + ["TestSupport"], path: "Tests/\(test.name)",
                swiftSettings: strict)
        },
    swiftLanguageModes: [.v6]
)
