// swift-tools-version:6.2
import PackageDescription

// The fuzzers, each a program on libFuzzer. They stand outside of the package, because the flags that build them are
// for programs that nobody depends on. `Tests/run --fuzz SECONDS` builds and runs them.
func fuzzer(_ name: String, _ products: String...) -> Target {
    .executableTarget(
        name: "\(name)Fuzz",
        dependencies: ["Fuzzing"] + products.map { .product(name: $0, package: "plugboard") },
        // Its `main` is libFuzzer's.
        swiftSettings: [.unsafeFlags(["-parse-as-library"])])
}

let package = Package(
    name: "plugboard-fuzz",
    dependencies: [.package(name: "plugboard", path: "../..")],
    targets: [
        .target(name: "Fuzzing"),
        fuzzer("Configuration", "PlugboardConfiguration", "PlugboardCore", "PlugboardKit"),
        fuzzer("Cookies", "PlugboardCookies"),
        fuzzer("Decode", "PlugboardDecode"),
        fuzzer("Definitions", "PlugboardEndpoints", "PlugboardValidator"),
        fuzzer("ELF", "PluginLoader"),
        fuzzer("JSON", "PlugboardJSON"),
        fuzzer("JSONCoding", "PlugboardJSON"),
        fuzzer("PropertyList", "PlugboardPropertyList"),
        fuzzer("Retry", "PlugboardRetry"),
        fuzzer("Schema", "PlugboardJSONSchema"),
        fuzzer("ServerSentEvents", "PlugboardCodecs"),
        fuzzer("Store", "PlugboardCache", "PlugboardCookies"),
        fuzzer("StoredResponse", "PlugboardCache"),
        fuzzer("URL", "PlugboardCache", "PlugboardCookies", "PlugboardRedirect"),
        fuzzer("WWWAuthenticate", "PlugboardAuthentication"),
        fuzzer("XML", "PlugboardXML"),
        fuzzer("YAML", "PlugboardYAML"),
    ],
    swiftLanguageModes: [.v6]
)
