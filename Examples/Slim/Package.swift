// swift-tools-version:6.2
import PackageDescription

let package = Package(
    name: "slim",
    dependencies: [.package(name: "plugboard", path: "../..", traits: ["StructuredFields"])],  // where Plugboard lies
    targets: [
        .executableTarget(
            name: "Slim",
            dependencies: [
                .product(name: "PlugboardCore", package: "plugboard"),
                .product(name: "PlugboardLogging", package: "plugboard"),
                .product(name: "PlugboardRedirect", package: "plugboard"),
                .product(name: "PlugboardRetry", package: "plugboard"),
            ])
    ]
)
