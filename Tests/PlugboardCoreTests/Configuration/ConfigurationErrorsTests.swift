import Foundation
import Plugboard
import PlugboardKit
import TestSupport
import Testing

@testable import PlugboardCore

@Suite struct `All errors of a configuration` {
    func errors(_ text: String, catalog: Catalog = .bundled) throws -> [ConfigurationError] {
        try #require(Configuration.check(text.utf8).readable).errors(catalog: catalog)
    }

    @Test func `a refusal at a plugin's creation is an error at its settings`() throws {
        let errors = try errors(
            """
            { "plugins": [
                { "id": "retry", "settings": { "statuses": ["abc"] } },
                { "id": "decode", "settings": { "codings": ["lzma"] } },
                { "id": "cache", "settings": { "timeToLives": { "*": "soon" }, "persistence": "memory" } } ] }
            """)

        #expect(errors.map(\.path) == ["plugins[0].settings", "plugins[1].settings", "plugins[2].settings"])
        #expect(errors.map(\.line) == [2, 3, 4])
        #expect(errors.allSatisfy { $0.code == .pluginStart })
        #expect(errors.first?.reason.contains("statuses contains abc, which is not a status") == true)
    }

    @Test func `errors of the text, the kernel, names, origins and plugins are reported at once, in order`() throws {
        let errors = try errors(
            """
            { "kernel": { "timeuot": "1s",
                "tls": { "ca": "/nowhere/ca.pem" } },
              "plugins": [
                { "id": "retry", "settings": { "statuses": ["abc"] }, "before": ["cahce"] },
                "cookeis" ],
              "origins": {
                "api.example.com": {},
                "https://a.example": { "retyr": { "attempts": 1 } },
                "https://b.example": { "cache": { "mode": "reload" } } } }
            """)

        #expect(
            errors.map(\.description).map { $0.prefix { $0 != "," } } == [
                "line 1", "line 2", "line 4", "line 5", "line 7", "line 8", "line 9",
            ])
        #expect(
            errors.map(\.path) == [
                "kernel.timeuot", "kernel.tls.ca", "plugins[0].before[0]", "plugins[1]",
                "origins",
                #"origins["https://a.example"].retyr"#, #"origins["https://b.example"].cache"#,
            ])
        #expect(errors[1].reason == "names /nowhere/ca.pem, which does not exist")
        #expect(errors[2].reason.contains("did you mean cache?"))
        #expect(
            errors[4].reason == "has the key api.example.com, which is not an origin; write https://api.example.com")
        #expect(errors[5].reason.contains("did you mean retry?"))
        #expect(errors[6].reason == "belongs to the plugin cache, which is not enabled; add it to plugins")
    }

    @Test func `a kernel tells the same as a check`() throws {
        let configuration = try #require(
            Configuration.check(
                #"{ "kernel": { "x": 1 }, "plugins": [{ "id": "retry", "settings": { "statuses": ["abc"] } }, "nobody"] }"#
                    .utf8
            ).readable)

        let error = #expect(throws: PlugboardError.self) { try Kernel(configuration: configuration, log: .silent) }

        #expect(error?.reason.hasPrefix("3 things are wrong") == true)
        for refusal in configuration.errors() { #expect(error?.reason.contains(refusal.description) == true) }
    }

    @Test func `all plugins that cannot be created are reported in one error`() throws {
        var configuration = Configuration(plugins: [
            .init("retry", settings: ["statuses": ["abc"]]), .init("decode", settings: ["codings": ["lzma"]]),
        ])

        let both = #expect(throws: PlugboardError.self) { try Kernel(configuration: configuration, log: .silent) }
        configuration.plugins.removeLast()
        let one = #expect(throws: PlugboardError.self) { try Kernel(configuration: configuration, log: .silent) }

        #expect(both?.code == .pluginStart && both?.plugin == nil)
        #expect(both?.reason.contains("abc") == true && both?.reason.contains("lzma") == true)
        #expect(one?.plugin == "retry")
    }

    @Test func `settings of the kernel that code gives are checked, too`() throws {
        var configuration = Configuration()
        configuration.kernel.timeout = .seconds(-1)
        configuration.kernel.proxy = "ftp://proxy"
        configuration.kernel.connectTo = ["a": "b:1"]
        configuration.kernel.tls.pins = ["a": ["sha256//x"]]
        configuration.kernel.connections = -1
        configuration.kernel.connectionsPerHost = -1

        let error = #expect(throws: PlugboardError.self) { try Kernel(configuration: configuration, log: .silent) }

        #expect(
            configuration.errors().map(\.path) == [
                "kernel.timeout", "kernel.connectTo.a", "kernel.proxy", "kernel.tls.pins.a", "kernel.connections",
                "kernel.connectionsPerHost",
            ])
        #expect(error?.code == .configuration)
    }

    @Test func `a check creates plugins, starts none, and leaves the data directory alone`() throws {
        let record = Record()
        let folder = try TemporaryFolder()
        let plugin = ScriptedPlugin("a")
        let path = folder.path
        plugin.onCreate = { host in
            record.add("created, own folder: \(host.dataDirectory?.hasPrefix(path) == false)")
        }
        plugin.onStart = { record.add("started") }
        var configuration = Configuration(plugins: ["a"])
        configuration.kernel.dataDirectory = folder.path + "/data"

        let errors = configuration.errors(catalog: Catalog([plugin.descriptor]))

        #expect(errors.isEmpty)
        #expect(record.lines == ["created, own folder: true"])
    }

    @Test func `a kernel reports all errors of a file's text, pins and plugins at once`() throws {
        let folder = try TemporaryFolder()
        defer { withExtendedLifetime(folder) {} }
        let path = try folder.write(
            "plugboard.json", #"{ "kernl": 1, "plugins": [{ "id": "retry", "settings": { "statuses": ["abc"] } }] }"#)

        let error = #expect(throws: PlugboardError.self) {
            var configuration = try Configuration.file(path)
            configuration.kernel.tls.pins = ["a b": ["sha256//\(String(repeating: "A", count: 43))="]]
            _ = try Kernel(configuration: configuration, log: .silent)
        }

        #expect(error?.reason.contains("kernl is not a known key") == true)
        #expect(error?.reason.contains("are pins of no host") == true)
        #expect(error?.reason.contains("statuses contains abc") == true)
    }

    @Test func `pins of one host that code gives twice are an error`() throws {
        var configuration = Configuration()
        let pin = "sha256//\(String(repeating: "A", count: 43))="
        configuration.kernel.tls.pins = ["example.com": [pin], "EXAMPLE.com": [pin]]

        let errors = configuration.errors()

        #expect(errors.count == 1)
        #expect(errors.first?.reason.contains("are pins of example.com, which has pins already") == true)
    }

    @Test func `a name that a plugin of an unopened file may have is not an error`() throws {
        let text = """
            { "plugins": [{ "id": "retry", "before": ["com.acme.sign"] }, { "path": "/x.so", "enabled": false }],
              "origins": { "https://a.example": { "com.acme.sign": { "key": "k" } } } }
            """

        #expect(try errors(text).isEmpty)
    }

    @Test func `what origins say to a plugin that is switched off is checked, and kept`() throws {
        func text(_ name: String) -> String {
            """
            { "plugins": [{ "id": "retry", "enabled": false }],
              "origins": { "https://a": { "retry": { "\(name)": 5 } } } }
            """
        }

        #expect(try errors(text("attempts")).isEmpty)
        #expect(try errors(text("atempts")).map(\.path) == [#"origins["https://a"].retry.atempts"#])
    }

    @Test func `files of certificates that a start could not use are errors, of a start too`() throws {
        let folder = try TemporaryFolder()
        let text = try folder.write("text.pem", "-----BEGIN NOTHING-----\nCERTIFICATE-----\n")
        let certificate = try folder.write(
            "certificate.pem", "Subject: x\r\n-----BEGIN CERTIFICATE----- \r\n-----END CERTIFICATE-----\r\n")
        let key = try folder.write("key.pem", "-----BEGIN EC PRIVATE KEY-----\n-----END EC PRIVATE KEY-----\n")
        let both = try folder.write(
            "both.pem", "-----BEGIN CERTIFICATE-----\n-----BEGIN PRIVATE KEY-----\n")
        func reasons(_ tls: String) throws -> [String] {
            let configuration = try #require(
                Configuration.check("{ \"kernel\": { \"tls\": { \(tls) } } }".utf8).readable)
            let errors = configuration.errors()
            let start = Result { try Kernel(configuration: configuration, log: .silent) }
            #expect(errors.isEmpty == ((try? start.get()) != nil))
            return errors.map { "\($0.path) \($0.reason)" }
        }

        #expect(
            try reasons(#""ca": "\#(text)""#) == [
                "kernel.tls.ca names \(text), which holds no certificate in PEM form"
            ])
        #expect(
            try reasons(#""certificate": "\#(text)", "key": "\#(certificate)""#) == [
                "kernel.tls.certificate names \(text), which holds no certificate in PEM form",
                "kernel.tls.key names \(certificate), which holds no private key in PEM form",
            ])
        #expect(
            try reasons(#""certificate": "\#(certificate)""#) == [
                "kernel.tls.certificate names \(certificate), which holds no private key; set kernel.tls.key to the file "
                    + "that does"
            ])
        #expect(
            try reasons(#""ca": "\#(folder.path)""#) == [
                "kernel.tls.ca names \(folder.path), which cannot be read: Is a directory"
            ])
        #expect(try reasons(#""ca": "\#(certificate)", "certificate": "\#(certificate)", "key": "\#(key)""#) == [])
        #expect(try reasons(#""certificate": "\#(both)""#) == [])
    }

    @Test(arguments: ["nothing0", "if!nothing0", "192.0.2.1"])
    func `an interface that does not exist is a warning, because it may come up`(_ interface: String) throws {
        let configuration = try Configuration.text(#"{ "kernel": { "interface": "\#(interface)" } }"#)

        let check = ResolvedPlugins.check(configuration, catalog: Catalog())

        #expect(check.errors.isEmpty)
        let warning = check.resolved?.warnings.first
        #expect(warning?.hasPrefix("kernel.interface is ") == true && warning?.contains("requests fail") == true)
    }

    @Test(arguments: ["lo", "if!lo", "127.0.0.1", "host!anything"])
    func `an interface that exists is no warning`(_ interface: String) throws {
        let configuration = try Configuration.text(#"{ "kernel": { "interface": "\#(interface)" } }"#)

        #expect(ResolvedPlugins.check(configuration, catalog: Catalog()).resolved?.warnings == [])
    }
}
