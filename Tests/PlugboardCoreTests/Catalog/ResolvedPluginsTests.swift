import Plugboard
import PlugboardJSON
import PlugboardKit
import TestSupport
import Testing

@testable import PlugboardCore

@Suite struct ResolvedPluginsTests {
    private let catalog = CatalogPlugins.catalog

    private func check(_ text: String, loader: (any PluginFileLoader)? = nil) throws -> ResolvedPlugins.Check {
        ResolvedPlugins.check(try Configuration.text(text), catalog: catalog, loader: loader)
    }

    @Test func `settings are whole: the configuration's, else the table's`() throws {
        let configuration = Configuration(plugins: [
            .init(
                "cache",
                settings: [
                    "memory": "16MiB", "entries": 1e1, "isShared": true, "vary": ["a", "b"], "names": ["x": "y"],
                ]),
            .init("com.acme.sign", settings: ["key": "k"]),
        ])

        let resolved = try ResolvedPlugins(configuration, catalog: catalog)

        #expect(resolved.plugins.map(\.id) == ["cache", "com.acme.sign"])
        #expect(
            resolved.plugins[0].settings == [
                "memory": "16MiB", "entries": "10", "isShared": "true", "vary": #"["a","b"]"#, "names": #"{"x":"y"}"#,
                "path": "",
            ])
        #expect(resolved.plugins[1].values == ["key": "k", "method": "hmac"])
        #expect(resolved.plugins[1].settings == ["key": "<redacted>", "method": "hmac"])
        #expect(resolved.plugins.map(\.linkage) == [.linked, .linked])
        #expect(resolved.plugins.map(\.reason) == ["default priority", "default priority"])
        #expect(resolved.warnings.isEmpty)
    }

    @Test func `the configuration's priority and neighbours count`() throws {
        let catalog = Catalog([
            CatalogPlugins.plain("a", priority: 10, before: ["c"]), CatalogPlugins.plain("b", priority: 20),
            CatalogPlugins.plain("c", priority: 5),
        ])
        let configuration = Configuration(plugins: [
            "c", .init("a", after: ["b"], onFault: .skip), .init("b", priority: 30),
        ])

        let resolved = try ResolvedPlugins(configuration, catalog: catalog)

        #expect(resolved.plugins.map(\.id) == ["b", "a", "c"])
        #expect(resolved.plugins.map(\.reason) == ["before a", "after b", "after a"])
        #expect(resolved.plugins.map(\.priority) == [30, 10, 5])
        #expect(resolved.plugins.map(\.onFault) == [.fail, .skip, .fail])
    }

    @Test func `all errors of settings are reported at once, with their positions`() throws {
        let check = try check(
            """
            { "plugins": [
                { "id": "cache", "settings": { "memry": "16MiB", "memory": "2GiB",
                                               "entries": "5", "vary": [1], "isShared": 1, "path": {} } },
                { "id": "com.acme.sign", "settings": { "method": "hunter2" } } ] }
            """)

        #expect(check.resolved == nil)
        #expect(
            check.errors.map(\.description) == [
                "line 2, column 36: plugins[0].settings.memry is not a known setting of cache; did you mean memory?",
                "line 2, column 64: plugins[0].settings.memory must lie between 0B and 1GiB",
                "line 3, column 47: plugins[0].settings.entries must be a whole number, not a string",
                #"line 3, column 60: plugins[0].settings.vary must be a list of strings, such as ["accept"]"#,
                "line 3, column 77: plugins[0].settings.isShared must be true or false, not a number",
                "line 3, column 88: plugins[0].settings.path must be a string, not an object",
                "line 4, column 42: plugins[1].settings must have key, which com.acme.sign requires",
                "line 4, column 54: plugins[1].settings.method must be one of hmac, rsa",
            ])
    }

    @Test func `a secret of the wrong type is not quoted`() throws {
        let check = try check(#"{ "plugins": [{ "id": "com.acme.sign", "settings": { "key": ["hunter2"] } }] }"#)

        #expect(check.errors.map(\.reason) == ["must be a string, not an array"])
    }

    @Test func `an unknown plugin names the nearest and those there are`() throws {
        let short = try check(#"{ "plugins": ["cahce"] }"#)
        let long = try check(#"{ "plugins": [{ "priority": 1, "id": "nobody" }] }"#)

        #expect(
            short.errors.map(\.description) == [
                "line 1, column 15: plugins[0] names no plugin that is linked into this program (cahce); "
                    + "did you mean cache? There are cache, com.acme.sign. A plugin that is a shared object needs its path"
            ])
        #expect(long.errors.map(\.path) == ["plugins[0].id"])
        #expect(long.errors.first?.column == 38)
    }

    @Test func `the same plugin twice names both places`() throws {
        let check = try check("{ \"plugins\": [\n\"cache\",\n{ \"id\": \"cache\" }] }")

        #expect(
            check.errors.map(\.description) == [
                "line 3, column 1: plugins[1] enables cache a second time; plugins[0] in line 2 does already. Keep one"
            ])
    }

    @Test func `what does not run is named with the reason`() throws {
        let catalog = Catalog(["a", "b", "c", "d"].map { CatalogPlugins.plain($0) })
        var configuration = try Configuration.text(
            """
            { "plugins": [ "a",
                { "id": "b", "enabled": false }, { "path": "/x.so" },
                { "id": "e", "path": "/y.so", "enabled": false },
                { "id": "c", "enabled": false }, "c" ] }
            """)
        configuration.leaveOutLoadedPlugins()

        let resolved = try ResolvedPlugins(configuration, catalog: catalog)

        #expect(resolved.plugins.map(\.id) == ["a", "c"])
        #expect(
            resolved.absent.map { "\($0.id ?? "-") \($0.path ?? "-") \($0.reason)" } == [
                "b - disabled(location: line 2: plugins[1].enabled)", "- /x.so leftOut",
                "e /y.so disabled(location: line 3: plugins[3].enabled)", "d - unlisted",
            ])
    }

    @Test func `a configuration made in code has no lines`() throws {
        let configuration = Configuration(plugins: [.init("a", isEnabled: false)])

        let resolved = try ResolvedPlugins(configuration, catalog: Catalog([CatalogPlugins.plain("a")]))

        #expect(resolved.absent.map { "\($0.id ?? "-") \($0.reason)" } == ["a disabled(location: plugins[0].enabled)"])
    }

    @Test(arguments: [#"{ "id": "p#", "enabled": false }"#, #"{ "id": "p#" }"#, #""a""#])
    func `entries are looked at in linear time`(entry: String) {
        expectLinearTime("entries", size: 250) { count in
            let entries = (0..<count).map { entry.replacing("#", with: "\($0)") }.joined(separator: ",\n")
            return Configuration.check("{ \"plugins\": [\(entries)] }".utf8).configuration
        } read: { configuration in
            guard let configuration else { return }
            _ = try? ResolvedPlugins(configuration, catalog: Catalog([CatalogPlugins.plain("a")]))
        }
    }

    @Test func `a plugin that is not enabled is left out, unchecked`() throws {
        let check = try check(
            #"{ "plugins": [{ "id": "nobody", "enabled": false }, { "id": "cache", "enabled": false }, "cache"] }"#)

        #expect(check.resolved?.plugins.map(\.id) == ["cache"])
    }

    @Test func `a file without a loader says what to import`() {
        let error = #expect(throws: PlugboardError.self) {
            try ResolvedPlugins(Configuration(plugins: ["./a.so"]), catalog: catalog)
        }

        #expect(error?.code == .configuration)
        #expect(
            error?.reason
                == "plugins[0] names a file, but this program is built without PluginLoader; import it and "
                + "pass `loader: .dynamic`")
    }

    @Test func `a loaded plugin goes through the same sort and checks`() throws {
        let descriptor = try PluginDescriptor(checking: CatalogPlugins.plain("loaded", priority: 700))
        let loader = CatalogPlugins.FakeLoader(files: ["./a.so": descriptor])
        let configuration = Configuration(plugins: [
            .init("com.acme.sign", settings: ["key": "k"]), "./a.so", "cache",
        ])

        let resolved = try ResolvedPlugins(configuration, catalog: catalog, loader: loader)
        let wrong = ResolvedPlugins.check(
            Configuration(plugins: [
                .init(id: "other", path: "./a.so"), .init("./a.so", settings: ["x": 1]),
            ]), catalog: catalog, loader: loader)

        #expect(resolved.plugins.map(\.id) == ["cache", "loaded", "com.acme.sign"])
        #expect(resolved.plugins.map(\.linkage) == [.linked, .loaded("./a.so"), .linked])
        #expect(
            wrong.errors.map(\.description) == [
                "plugins[0].id differs from the id of the plugin in the file, loaded",
                "plugins[1].settings.x is not a known setting of loaded: there are none",
            ])
    }

    @Test func `a loader's refusal keeps its code`() {
        let error = #expect(throws: PlugboardError.self) {
            try ResolvedPlugins(
                Configuration(plugins: ["./a.so"]), catalog: catalog, loader: CatalogPlugins.FakeLoader(files: [:]))
        }

        #expect(error?.code == "loading.missing")
        #expect(error?.reason == "plugins[0] (./a.so) cannot be loaded: There is no file ./a.so (ENOENT)")
    }

    @Test func `a cycle keeps its code, and other errors are reported beside it`() throws {
        let cycle = [PluginEntry("cache", before: ["cache"])]

        let alone = #expect(throws: PlugboardError.self) {
            try ResolvedPlugins(Configuration(plugins: cycle), catalog: catalog)
        }
        let origin: Origin = "http://a"
        let both = ResolvedPlugins.check(
            Configuration(plugins: cycle + ["nobody"], origins: [origin: ["cache.ttl": "x"]]), catalog: catalog)

        #expect(alone?.code == .pluginOrder)
        #expect(alone?.reason.contains("cache → cache") == true)
        #expect(both.errors.map(\.code) == [.configuration, .pluginOrder, .configuration])
        #expect(both.errors.map(\.path) == ["plugins[1]", "plugins", #"origins["http://a"].cache.ttl"#])
    }

    @Test func `a neighbour that the configuration names and no plugin has is an error with its line`() throws {
        let check = try check(
            """
            { "plugins": [
                { "id": "cache", "before": ["com.acme.sign", "com.acme.sing"], "after": ["off", "nobody"] },
                { "id": "off", "enabled": false } ] }
            """)

        #expect(
            check.errors.map(\.description) == [
                "line 2, column 50: plugins[0].before[1] names com.acme.sing, which is not a known plugin; did you mean "
                    + "com.acme.sign?",
                "line 2, column 85: plugins[0].after[1] names nobody, which is not a known plugin; known are cache, "
                    + "com.acme.sign, off",
            ])
    }

    @Test func `a neighbour that a plugin names and no plugin has is a warning`() throws {
        let catalog = Catalog([CatalogPlugins.plain("a", before: ["b", "cc"]), CatalogPlugins.plain("b")])

        let resolved = try ResolvedPlugins(Configuration(plugins: ["a"]), catalog: catalog)

        #expect(resolved.warnings == ["a names cc in before or after, which is not a known plugin"])
    }

    @Test func `attributes of origins are checked against the tables`() throws {
        let check = try check(
            """
            { "plugins": ["cache"], "origins": { "HTTPS://a.example": {
                "cache": { "enabled": false, "ttl": "30s", "tll": "30s", "bypass": "hunter2" },
                "com.acme.sign": { "rounds": 99 } } } }
            """)

        #expect(
            check.errors.map(\.description) == [
                #"line 2, column 72: origins["HTTPS://a.example"].cache.bypass must be true or false"#,
                "line 2, column 48: origins[\"HTTPS://a.example\"].cache.tll "
                    + "is not a known attribute of cache; did you mean ttl?",
                "line 3, column 5: origins[\"HTTPS://a.example\"][\"com.acme.sign\"] "
                    + "belongs to the plugin com.acme.sign, which is not enabled; add it to plugins",
            ])
    }

    @Test func `a section of an origin for an unknown plugin is an error`() throws {
        let check = try check(
            """
            { "plugins": ["cache"],
              "origins": { "http://a": { "cahce": { "ttl": "1s" } } } }
            """)

        #expect(check.errors.map(\.path) == [#"origins["http://a"].cahce"#])
        #expect(check.errors.map(\.reason) == ["is not a known plugin; did you mean cache?"])
    }

    @Test func `a priority that code gives is checked too`() {
        let check = ResolvedPlugins.check(Configuration(plugins: [.init("cache", priority: 1000)]), catalog: catalog)

        #expect(check.errors.map(\.path) == ["plugins[0].priority"])
    }

    @Test func `what code has put in between moves no line of another entry`() throws {
        var configuration = try Configuration.text("{ \"plugins\": [\n\"nobody\"] }")
        configuration.plugins.insert("cache", at: 0)

        let check = ResolvedPlugins.check(configuration, catalog: catalog)

        #expect(check.errors.map(\.line) == [2])
    }
}
