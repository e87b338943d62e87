// swift-tools-version:6.1
import PackageDescription

let package = Package(
    name: "plugboard",
    products: [
        .library(name: "PlugboardKit", targets: ["PlugboardKit"]),
    ],
    targets: [
        .target(name: "CPlugboard"),
        .target(name: "JSON"),
        .systemLibrary(name: "CCurl", pkgConfig: "libcurl", providers: [.apt(["libcurl4-openssl-dev"])]),
        .target(name: "PlugboardKit", dependencies: ["CPlugboard"]),
        .target(name: "CurlTransport", dependencies: ["PlugboardKit", "CCurl"]),
    ]
)
