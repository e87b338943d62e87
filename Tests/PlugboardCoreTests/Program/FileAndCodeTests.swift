import Plugboard
import PlugboardKit
import PluginLoader
import TestSupport
import Testing

/// Who wins where code and a configuration's text say something of the same plugin.
struct FileAndCodeTests {
    private func resolved(_ text: String, _ plugins: [PluginEntry]) throws -> ResolvedPlugins {
        try ResolvedPlugins(Configuration.text(text).adding(plugins), catalog: .bundled)
    }

    @Test func `code switches plugins on without a text`() throws {
        let resolved = try resolved("{}", [.retry { $0.attempts = 5 }, "redirect", .decode])

        #expect(resolved.plugins.map(\.id) == ["decode", "redirect", "retry"])
        #expect(resolved.plugins.last?.settings["attempts"] == "5")
        #expect(
            resolved.plugins.map(\.locations) == [
                ["program.plugins[2]"], ["program.plugins[1]"], ["program.plugins[0]"],
            ])
    }

    @Test func `each value of the text replaces the code's, and the others stay`() throws {
        let resolved = try resolved(
            #"{ "plugins": [{ "id": "retry", "priority": 820, "settings": { "attempts": 2 } }] }"#,
            [
                .retry {
                    $0.attempts = 9
                    $0.delay = .milliseconds(50)
                }.with(priority: 810, onFault: .skip)
            ])

        let retry = try #require(resolved.plugins.first)
        #expect(resolved.plugins.count == 1)
        #expect(retry.settings["attempts"] == "2")
        #expect(retry.settings["delay"] == "50ms")
        #expect(retry.settings["budgetSize"] == "20")
        #expect(retry.priority == 820)
        #expect(retry.onFault == .skip)
        #expect(retry.locations == ["line 1: plugins[0]", "program.plugins[0]"])
    }

    @Test func `a text that only names the plugin changes nothing of the code's`() throws {
        let resolved = try resolved(
            #"{ "plugins": ["retry"] }"#, [.retry { $0.attempts = 9 }.with(onFault: .disable, faultLimit: 7)])

        #expect(resolved.plugins.map { $0.settings["attempts"] } == ["9"])
        #expect(resolved.plugins.map(\.onFault) == [.disable])
        #expect(resolved.plugins.map(\.faultLimit) == [7])
    }

    @Test func `a text may say what is the default`() throws {
        let resolved = try resolved(
            #"{ "plugins": [{ "id": "retry", "onFault": "fail", "settings": { "attempts": 3 } }] }"#,
            [.retry { $0.attempts = 9 }.with(onFault: .skip)])

        #expect(resolved.plugins.map { $0.settings["attempts"] } == ["3"])
        #expect(resolved.plugins.map(\.onFault) == [.fail])
    }

    @Test func `a text may leave out what code switches on`() throws {
        let resolved = try resolved(#"{ "plugins": [{ "id": "retry", "enabled": false }] }"#, [.retry])

        #expect(resolved.plugins.isEmpty)
        let reason = resolved.absent.first { $0.id == "retry" }.map { "\($0.reason)" }
        #expect(reason == "disabled(location: line 1: plugins[0].enabled)")
    }

    @Test func `a text may switch on what code only brings`() async throws {
        var own = PluginEntry.hooks("com.acme.look", priority: 100, onRequest: { _ in .next })
        own.isEnabled = false

        #expect(try resolved("{}", [own]).plugins.isEmpty)
        #expect(try resolved(#"{ "plugins": ["com.acme.look"] }"#, [own]).plugins.map(\.id) == ["com.acme.look"])
    }

    @Test func `an error names the place of the value that is wrong`() throws {
        let configuration = try Configuration.text(
            #"{ "plugins": [{ "id": "retry", "settings": { "attempts": 0 } }] }"#
        ).adding([.retry { $0.budgetSize = -1 }])

        let errors = configuration.errors()

        #expect(Set(errors.map(\.path)) == ["plugins[0].settings.attempts", "program.plugins[0].settings.budgetSize"])
        #expect(errors.map(\.line).sorted { ($0 ?? 0) < ($1 ?? 0) } == [nil, 1])
    }

    @Test func `a plugin that code gives twice is an error`() {
        let errors = Configuration().adding([.retry, .redirect, .retry]).errors()

        #expect(errors.map(\.path) == ["program.plugins[2]"])
        #expect(errors.map(\.reason) == ["enables retry a second time; program.plugins[0] does already. Keep one"])
    }

    @Test func `a plugin of the program's own replaces a linked one of the same id`() throws {
        let own = PluginEntry.hooks("retry", priority: 850, onFailure: { _ in .next })

        let resolved = try ResolvedPlugins(Configuration().adding([own]), catalog: .bundled)

        #expect(resolved.plugins.map(\.priority) == [850])
    }

    @Test func `a file that the text names replaces the linked plugin, with the code's values`() throws {
        let path = try Products.library("plugboard-retry")
        let configuration = try Configuration.text(#"{ "plugins": [{ "id": "retry", "path": "\#(path)" }] }"#)
            .adding([.retry { $0.attempts = 7 }])

        let resolved = try ResolvedPlugins(configuration, catalog: .bundled, loader: .dynamic)

        #expect(resolved.plugins.map(\.linkage) == [.loaded(path)])
        #expect(resolved.plugins.map { $0.settings["attempts"] } == ["7"])
    }

    @Test func `a plugin that is loaded has typed settings too`() throws {
        let path = try Products.library("plugboard-cache")
        let configuration = Configuration().adding([
            .loaded(path, CacheSettings.self) {
                $0.disk = .gibibytes(1)
                $0.timeToLives = ["*": "1m"]
                $0.path = nil
            }
        ])

        let resolved = try ResolvedPlugins(configuration, catalog: Catalog(), loader: .dynamic)

        #expect(resolved.plugins.map(\.id) == ["cache"])
        #expect(resolved.plugins.first?.settings["disk"] == "1GiB")
        #expect(resolved.plugins.first?.settings["timeToLives"] == #"{"*":"1m"}"#)
        #expect(resolved.plugins.first?.settings["memory"] == "16MiB")
    }
}
