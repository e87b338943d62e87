import Foundation
import Plugboard
import PlugboardJSON
import PlugboardKit
import PlugboardSystem
import Testing

@Suite struct ConfigurationTests {
    private let example = """
        // What a service runs.
        {
          "$schema": "plugboard.schema.json",
          "kernel":  { "timeout": "30s", "connections": 64,
                       "tls": { "pins": { "API.example.com": ["sha256//AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="] } } },
          "plugins": [
            "logging",
            { "id": "cache", "settings": { "path": "cache.sqlite", "memory": "16MiB" }, "enabled": false },
            { "id": "com.acme.sign", "path": "plugins/libacme_sign.so", "priority": 900, "onFault": "skip",
              "before": ["wire"], "after": ["cache"] },
            "./libother.so",
          ],
          "origins": { "HTTPS://Slow.example.com:443": { "retry": { "attempts": 5, "enabled": true, "on": ["a"] } } },
          "endpoints": { "TopicList": { "path": "topics/recommended" } },
        }
        """

    @Test func `the whole of an example is read`() throws {
        let configuration = try Configuration.text(example, folder: "/etc/app", sections: ["endpoints"])

        #expect(configuration.kernel.timeout == .seconds(30))
        #expect(configuration.kernel.connections == 64)
        #expect(configuration.kernel.tls.pins["api.example.com"]?.count == 1)
        #expect(configuration.plugins.map(\.id) == ["logging", "cache", "com.acme.sign", nil])
        #expect(
            configuration.plugins.map(\.path)
                == [nil, nil, "/etc/app/plugins/libacme_sign.so", "/etc/app/./libother.so"])
        #expect(configuration.plugins.map(\.isEnabled) == [true, false, true, true])
        #expect(configuration.plugins[1].settings["memory"] == "16MiB")
        #expect(configuration.plugins[2].priority == 900)
        #expect(configuration.plugins[2].onFault == .skip)
        #expect(configuration.plugins[2].before == ["wire"])
        #expect(configuration.plugins[2].after == ["cache"])
        let slow: Origin = "https://slow.example.com"
        #expect(
            configuration.origins[slow]?.values
                == ["retry.attempts": "5", "retry.enabled": "true", "retry.on": #"["a"]"#])
        #expect(configuration.origins.keys.map(\.description) == ["https://slow.example.com"])
        #expect(configuration.sections == ["endpoints": ["TopicList": ["path": "topics/recommended"]]])
    }

    @Test func `a configuration made in code says what the text says`() throws {
        let text = #"{ "plugins": ["logging", { "id": "cache", "settings": { "memory": "16MiB" } }, "./a.so"] }"#

        let read = try Configuration.text(text)
        let made = Configuration(plugins: ["logging", .init("cache", settings: ["memory": "16MiB"]), "./a.so"])

        #expect(made.plugins.map(\.id) == read.plugins.map(\.id))
        #expect(made.plugins.map(\.path) == read.plugins.map(\.path))
        #expect(made.plugins.map(\.settings) == read.plugins.map(\.settings))
        #expect(made.kernel == read.kernel)
    }

    @Test func `an empty object is a whole configuration`() throws {
        let configuration = try Configuration.text("{}")

        #expect(configuration.kernel == KernelSettings())
        #expect(configuration.plugins.isEmpty && configuration.origins.isEmpty && configuration.sections.isEmpty)
    }

    @Test func `all errors are reported at once, in their order, with their positions`() {
        let text = """
            {
              "kernel": { "timeuot": "30s",
                          "connections": -1 },
              "plugins": [
                { "priority": 1000 },
                7
              ],
              "orgins": {}
            }
            """

        let check = Configuration.check(text.utf8)

        #expect(check.configuration == nil)
        #expect(
            check.errors.map(\.description) == [
                "line 2, column 15: kernel.timeuot is not a known key; did you mean timeout?",
                "line 3, column 30: kernel.connections must be a whole number between 0 and 1000000",
                "line 5, column 19: plugins[0].priority must be a whole number between 0 and 999",
                "line 5, column 5: plugins[0] must have an id, or the path of a file",
                "line 6, column 5: plugins[1] must be a string or an object, not a number",
                "line 8, column 3: orgins is not a known key; did you mean origins?",
            ])
    }

    @Test func `the error of several errors lists each of them`() throws {
        let error = #expect(throws: PlugboardError.self) { try Configuration.text(#"{ "kernl": 1, "x": 2 }"#) }

        #expect(error?.code == .configuration)
        #expect(
            error?.reason == """
                2 things are wrong with the configuration:
                  line 1, column 3: kernl is not a known key; did you mean kernel?
                  line 1, column 15: x is not a known key; known are $schema, kernel, plugins, origins
                """)
    }

    @Test func `an unknown key has a position, also with the name of what the program gives`() {
        let check = Configuration.check(#"{ "program": 1 }"#.utf8)

        #expect(
            check.errors.map(\.description) == [
                "line 1, column 3: program is not a known key; known are $schema, kernel, plugins, origins"
            ])
    }

    @Test func `only registered sections may stand at the top`() throws {
        let text = #"{ "endpoints": [1] }"#

        let registered = try Configuration.text(text, sections: ["endpoints"])
        let error = registered.error(at: ["endpoints", 0], "must be an object")
        let near = Configuration.check(#"{ "endpoint": [1] }"#.utf8, sections: ["endpoints"])

        #expect(registered.sections["endpoints"] == [1])
        #expect(error.description == "line 1, column 17: endpoints[0] must be an object")
        #expect(near.errors.map(\.reason) == ["is not a known key; did you mean endpoints?"])
        #expect(Configuration.check(text.utf8).configuration == nil)
    }

    @Test func `a section cannot take the place of a key of the kernel's`() throws {
        let configuration = try Configuration.text(#"{ "plugins": ["a"] }"#, sections: ["plugins"])

        #expect(configuration.plugins.count == 1)
        #expect(configuration.sections.isEmpty)
    }

    @Test(arguments: [
        (#"{ "plugins": [ "#, "line 1, column 16"), ("", "line 1"),
        ("{ \"kernel\": {},\n \"kernel\": {} }", "line 2, column 2"),
    ])
    func `a text that is no JSON is one error with its place`(text: String, place: String) {
        let check = Configuration.check(text.utf8)

        #expect(check.errors.count == 1)
        #expect(check.errors.first?.description.hasPrefix(place) == true)
        #expect(check.errors.first?.path == "")
    }

    @Test func `at most a hundred errors are reported`() {
        let text = "{" + (0..<300).map { "\"unknown\($0)\": 0" }.joined(separator: ",") + "}"

        let check = Configuration.check(text.utf8)

        #expect(check.errors.count == 100)
        #expect(check.configuration == nil)
    }

    @Test func `a configuration larger than the limit is refused`() {
        let check = Configuration.check(Array(repeating: UInt8(ascii: " "), count: 5 << 20))

        #expect(check.errors.first?.reason.contains("larger than the limit") == true)
    }
}

@Suite struct ConfigurationFileTests {
    private let folder = FileManager.default.temporaryDirectory.appendingPathComponent("plugboard-\(UUID())")

    private func write(_ text: String) throws -> String {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let file = folder.appendingPathComponent("plugboard.json")
        try Data(text.utf8).write(to: file)
        return file.path
    }

    @Test func `relative paths in a file begin at its folder`() throws {
        let path = try write(
            """
            { "kernel": { "dataDirectory": "data", "pluginFolders": ["plugins", "/opt/plugins"],
                          "tls": { "ca": "ca.pem", "certificate": "me.pem", "key": "/etc/me.key" } },
              "plugins": [{ "path": "./a.so" }, { "path": "b.so" }] }
            """)
        defer { try? FileManager.default.removeItem(at: folder) }

        let configuration = try Configuration.file(path)

        #expect(configuration.kernel.dataDirectory == "\(folder.path)/data")
        #expect(configuration.kernel.pluginFolders == ["\(folder.path)/plugins", "/opt/plugins"])
        #expect(configuration.kernel.tls.ca == "\(folder.path)/ca.pem")
        #expect(configuration.kernel.tls.certificate == "\(folder.path)/me.pem")
        #expect(configuration.kernel.tls.key == "/etc/me.key")
        // With folders of plugins, a bare name is looked for in them.
        #expect(configuration.plugins.map(\.path) == ["\(folder.path)/./a.so", "b.so"])
    }

    @Test func `an entry that cannot be read changes nothing for the names of the files after it`() throws {
        let check = Configuration.check(
            #"{ "kernel": { "pluginFolders": ["/p"] }, "plugins": [5, { "path": "a.so" }, { "path": "lib/b.so" }] }"#
                .utf8,
            folder: "/f")

        let entries = try #require(check.readable).plugins

        #expect(check.errors.map(\.path) == ["plugins[0]"])
        #expect(entries.compactMap(\.path) == ["a.so", "/f/lib/b.so"])
    }

    @Test func `the folder of a relative path is made absolute`() {
        let current = FileManager.default.currentDirectoryPath

        #expect(SmallFile.folder(of: "plugboard.json") == "\(current)/")
        #expect(SmallFile.folder(of: "etc/plugboard.json") == "\(current)/etc/")
        #expect(SmallFile.folder(of: "/plugboard.json") == "/")
    }

    @Test func `an error of a file begins with its path`() throws {
        let path = try write("{\n  \"plugin\": [] }")
        defer { try? FileManager.default.removeItem(at: folder) }

        let error = #expect(throws: PlugboardError.self) {
            try Kernel(configuration: .file(path), log: .silent)
        }

        #expect(error?.reason == "\(path), line 2, column 3: plugin is not a known key; did you mean plugins?")
    }

    @Test(arguments: [
        ("/nowhere/plugboard.json", "/nowhere/plugboard.json does not exist"),
        ("/tmp", "/tmp cannot be read: Is a directory"),
    ])
    func `a file that cannot be read is an error that says why`(path: String, reason: String) {
        let error = #expect(throws: PlugboardError.self) { try Configuration.file(path) }

        #expect(error?.code == .configuration)
        #expect(error?.reason == reason)
    }
}
