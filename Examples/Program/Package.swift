// swift-tools-version:6.2
import PackageDescription

let package = Package(
    name: "program",
    dependencies: [.package(name: "plugboard", path: "../..")],  // where Plugboard lies
    targets: [
        .executableTarget(
            name: "Program",
            dependencies: [
                .product(name: "Plugboard", package: "plugboard"),
                .product(name: "PluginLoader", package: "plugboard"),
            ])
    ]
)
