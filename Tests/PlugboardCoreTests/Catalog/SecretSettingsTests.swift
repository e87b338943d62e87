import Plugboard
import PlugboardKit
import Testing

@testable import PlugboardCore

struct SecretSettingsTests {
    private let configuration: Configuration = {
        var configuration = Configuration(plugins: [.init("com.acme.sign", settings: ["key": "hunter2"])])
        configuration.kernel.proxy = "http://user:hunter2@proxy.test"
        configuration.origins = ["http://a.test": ["com.acme.sign.rounds": "hunter2"]]
        return configuration
    }()

    @Test func `a configuration that is printed shows no settings`() {
        for text in texts(of: configuration) { #expect(!text.contains("hunter2"), "\(text)") }
    }

    @Test func `plugins that are printed show their secret settings as redacted`() throws {
        let entry = try #require(configuration.plugins.first)
        let resolved = try ResolvedPlugins(Configuration(plugins: [entry]), catalog: CatalogPlugins.catalog)

        for text in texts(of: resolved.plugins) + texts(of: resolved) {
            #expect(!text.contains("hunter2"), "\(text)")
        }
        #expect("\(resolved.plugins)".contains("<redacted>") && "\(resolved.plugins)".contains("hmac"))
    }

    private func texts(of value: some Any) -> [String] {
        var dumped = ""
        dump(value, to: &dumped)
        return ["\(value)", String(reflecting: value), dumped]
    }
}
