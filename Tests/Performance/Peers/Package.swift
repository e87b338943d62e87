// swift-tools-version:6.2
import PackageDescription

// The clients of other libraries that `../run --peers` compares with. A package of its own, so that neither the project
// nor its other measurements depend on them.
let package = Package(
    name: "peers",
    dependencies: [.package(url: "https://github.com/swift-server/async-http-client.git", exact: "1.37.0")],
    targets: [
        // The same file as in the package above this one.
        .target(name: "loading"),
        .executableTarget(
            name: "async-http-client",
            dependencies: ["loading", .product(name: "AsyncHTTPClient", package: "async-http-client")]),
        .executableTarget(name: "urlsession", dependencies: ["loading"]),
    ],
    swiftLanguageModes: [.v6]
)
