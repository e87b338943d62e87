// swift-tools-version:6.2
import PackageDescription

let package = Package(
    name: "user-agent",
    products: [.library(name: "user-agent", type: .dynamic, targets: ["UserAgent"])],
    dependencies: [.package(name: "plugboard", path: "../..", traits: [])],
    targets: [
        .target(
            name: "UserAgent",
            dependencies: [.product(name: "PlugboardKit", package: "plugboard"), "UserAgentMetadata"]),
        .target(
            name: "UserAgentMetadata", dependencies: [.product(name: "PlugboardKit", package: "plugboard")]),
    ]
)
