import CPlugboard
import Plugboard
import PlugboardJSON
import PlugboardKit
import TestSupport
import Testing

@testable import PlugboardCore

@Suite struct `What origins say to a plugin, judged by the plugin` {
    private let record = Record()

    /// Refuses a section that says `left` without `right`.
    private func plugin(_ id: String = "a") -> ScriptedPlugin {
        let plugin = ScriptedPlugin(id)
        plugin.attributes = [
            AttributeKey<Int>(id, "left", "Left.").definition, AttributeKey<String>(id, "right", "Right.").definition,
        ]
        plugin.onCreate = { [record] _ in record.add("create") }
        plugin.onCheck = { [record] attributes in
            let section = attributes.values.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
            record.add("check \(section.joined(separator: " "))")
            if attributes["\(id).left"] != nil && attributes["\(id).right"] == nil {
                throw PlugboardError("test", "left needs right.")
            }
        }
        plugin.onStart = { [record] in record.add("start") }
        return plugin
    }

    private func configuration(_ text: String) throws -> Configuration {
        try #require(Configuration.check(text.utf8).readable)
    }

    @Test func `a section that the plugin refuses is an error at the section's line, of a check and of a start`() throws
    {
        let catalog = Catalog([plugin().descriptor])
        let configuration = try configuration(
            """
            { "plugins": ["a"],
              "origins": {
                "https://good.example": { "a": { "left": 1, "right": "r" } },
                "HTTPS://Bad.example:443": {
                    "a": { "left": 2 } } } }
            """)

        let errors = configuration.errors(catalog: catalog)
        let error = #expect(throws: PlugboardError.self) {
            try Kernel(configuration: configuration, catalog: catalog, log: .silent)
        }

        #expect(errors.map(\.path) == [#"origins["HTTPS://Bad.example:443"].a"#])
        #expect(errors.map(\.line) == [5])
        #expect(errors.map(\.reason) == ["is refused by the plugin: left needs right"])
        #expect(error?.code == .pluginStart && error?.plugin == "a")
        #expect(error?.reason == errors.first?.description)
        #expect(!record.lines.contains("start"))
    }

    /// Descriptors that are made at run time share their functions: each is asked for itself.
    @Test func `of two plugins only the one that has a check is asked`() throws {
        let table = RefusingCheck.descriptors
        for (index, id) in ["lenient", "strict"].enumerated() {
            (table + index).initialize(to: plugin(id).descriptor.pointee)
        }
        table[0].check = nil
        table[1].check = { _, _, _ in PLUG_BAD_ARGUMENT }
        let configuration = try configuration(
            """
            { "plugins": ["lenient", "strict"],
              "origins": { "https://a.example": { "lenient": { "left": 1 }, "strict": { "left": 1 } } } }
            """)

        let errors = configuration.errors(catalog: Catalog([UnsafePointer(table), UnsafePointer(table + 1)]))

        #expect(errors.map(\.path) == [#"origins["https://a.example"].strict"#])
    }

    @Test func `each section is handed in with this plugin's attributes, between creation and start`() async throws {
        let text = """
            { "plugins": ["a", "b"],
              "origins": {
                "https://1.example": { "a": { "left": 1, "right": "r" }, "b": { "right": "other" } },
                "https://2.example": { "b": { "right": "other" } },
                "https://3.example": { "a": { "right": "ü\\n", "enabled": true } },
                "https://4.example": { "a": { "left": 4, "enabled": false } },
                "https://5.example": { "a": { "enabled": true } } } }
            """
        let other = ScriptedPlugin("b")
        other.attributes = [AttributeKey<String>("b", "right", "Right.").definition]
        let kernel = try Kernel(
            configuration: configuration(text), catalog: Catalog([plugin().descriptor, other.descriptor]), log: .silent)
        await kernel.shutDown()

        #expect(record.lines == ["create", "check a.left=1 a.right=r", "check a.right=ü\n", "start"])
    }

    @Test func `all refusals are reported at once; a plugin does not check a section with a wrong type`() throws {
        let text = """
            { "plugins": ["a", { "id": "b", "settings": {} }],
              "origins": {
                "https://1.example": { "a": { "left": 1 } },
                "https://2.example": { "a": { "left": "two" } },
                "https://3.example": { "a": { "left": 3 } } } }
            """
        let other = ScriptedPlugin("b")
        other.onCreate = { _ in throw PlugboardError("test", "b cannot be.") }
        let catalog = Catalog([plugin().descriptor, other.descriptor])

        let errors = try configuration(text).errors(catalog: catalog)

        #expect(errors.map(\.line) == [1, 3, 4, 5])
        #expect(errors.map(\.code) == [.pluginStart, .pluginStart, .configuration, .pluginStart])
        #expect(record.lines == ["create", "check a.left=1", "check a.left=3"])
    }

    @Test func `an origin that code gives is refused by its name`() throws {
        var configuration = Configuration(plugins: ["a"])
        let origin: Origin = "https://bad.example"
        configuration.origins[origin] = ["a.left": "1"]
        let catalog = Catalog([plugin().descriptor])

        let error = #expect(throws: PlugboardError.self) {
            try Kernel(configuration: configuration, catalog: catalog, log: .silent)
        }

        #expect(error?.reason == #"origins["https://bad.example"].a is refused by the plugin: left needs right"#)
    }
}

/// Two descriptors, of which the second has a check that refuses everything.
private enum RefusingCheck {
    // Never freed: what the kernel keeps of a plugin may outlive it.
    nonisolated(unsafe) static let descriptors = UnsafeMutablePointer<plug_plugin_v1>.allocate(capacity: 2)
}
