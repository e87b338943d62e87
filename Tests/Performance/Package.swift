// swift-tools-version:6.2
import PackageDescription

// How fast Plugboard is, beside raw libcurl in C. A package of its own, so that tests do not build it.
let package = Package(
    name: "performance",
    products: [.library(name: "idle-loaded", type: .dynamic, targets: ["idle"])],
    dependencies: [.package(name: "plugboard", path: "../..")],
    targets: [
        .executableTarget(name: "plain", linkerSettings: [.linkedLibrary("curl")]),
        .executableTarget(name: "tuned", linkerSettings: [.linkedLibrary("curl")]),
        .executableTarget(name: "file_plain", linkerSettings: [.linkedLibrary("curl")]),
        .executableTarget(
            name: "file_kernel",
            dependencies: [
                .product(name: "Plugboard", package: "plugboard"),
                .product(name: "PlugboardDownloads", package: "plugboard"),
            ]),
        .executableTarget(name: "plain_sqlite", linkerSettings: [.linkedLibrary("sqlite3")]),
        .executableTarget(name: "plain_postgresql", linkerSettings: [.linkedLibrary("pq")]),
        .executableTarget(
            name: "queueing",
            dependencies: [
                "measuring", .product(name: "PlugboardTransport", package: "plugboard"),
                .product(name: "Plugboard", package: "plugboard"),
                .product(name: "PlugboardQueuePostgreSQL", package: "plugboard"),
            ]),
        .executableTarget(name: "silence"),
        // Peers/Package.swift has it too.
        .target(name: "loading"),
        .target(name: "nothing", dependencies: [.product(name: "PlugboardKit", package: "plugboard")]),
        .target(
            name: "measuring",
            dependencies: [
                .product(name: "PlugboardKit", package: "plugboard"),
                .product(name: "PlugboardTransport", package: "plugboard"),
            ]),
        .target(name: "idle", dependencies: [.product(name: "PlugboardKit", package: "plugboard")]),
        .target(name: "idle_c", dependencies: [.product(name: "PlugboardKit", package: "plugboard")]),
        .executableTarget(
            name: "json-coding", dependencies: [.product(name: "PlugboardJSON", package: "plugboard")]),
        .executableTarget(name: "hooks", dependencies: ["idle", "idle_c", "measuring"]),
        .executableTarget(
            name: "plugins",
            dependencies: [
                "measuring",
                .product(name: "Plugboard", package: "plugboard"),
                .product(name: "PlugboardTransport", package: "plugboard"),
                .product(name: "PlugboardCacheOptions", package: "plugboard"),
                .product(name: "PlugboardCookiesOptions", package: "plugboard"),
                .product(name: "PlugboardQueueOptions", package: "plugboard"),
            ]),
        .executableTarget(
            name: "endpoints",
            dependencies: ["measuring", .product(name: "PlugboardEndpoints", package: "plugboard")]),
        .executableTarget(
            name: "loops",
            dependencies: [
                "measuring", .product(name: "Plugboard", package: "plugboard"),
                .product(name: "PlugboardKit", package: "plugboard"),
            ]),
        .executableTarget(
            name: "kernel",
            dependencies: [
                "loading", "measuring", "nothing",
                .product(name: "Plugboard", package: "plugboard"),
                .product(name: "PluginLoader", package: "plugboard"),
            ]),
    ],
    swiftLanguageModes: [.v6]
)
