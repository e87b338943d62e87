import Plugboard
import PlugboardJSON
import PlugboardKit
import Testing

@testable import PlugboardConfiguration

@Suite struct KernelSettingsTests {
    private func read(_ kernel: String) throws -> KernelSettings {
        try Configuration.text("{ \"kernel\": \(kernel) }").kernel
    }

    @Test func `every key has its place`() throws {
        let settings = try read(
            """
            { "timeout": "1m", "connectTimeout": "2s", "idleTimeout": "3s", "attemptTimeout": "4ms",
              "loops": 3, "connections": 5, "connectionsPerHost": 7, "attemptLimit": 6, "bufferLimit": "32KiB",
              "idleConnections": 8, "secretFields": ["X-Own"],
              "dataDirectory": "/d", "pluginFolders": ["/p"], "logLevel": "warning", "proxy": "socks5h://me:pw@proxy:1080", "noProxy": "a,b",
              "connectTo": { "a.example:443": "[::1]:8443", "*:80": "127.0.0.1:*" },
              "interface": "eth0", "ipVersion": "v6",
              "httpVersion": "2-prior-knowledge",
              "tls": { "verify": false, "ca": "/ca", "certificate": "/c", "key": "/k", "minimum": "1.3", "closeNotify": false },
              "speed": { "download": "1MiB", "upload": "0B" } }
            """)

        var expected = KernelSettings()
        expected.timeout = .seconds(60)
        expected.connectTimeout = .seconds(2)
        expected.idleTimeout = .seconds(3)
        expected.attemptTimeout = .milliseconds(4)
        expected.loops = 3
        expected.connections = 5
        expected.connectionsPerHost = 7
        expected.attemptLimit = 6
        expected.bufferLimit = .kibibytes(32)
        expected.idleConnections = 8
        expected.secretFields = ["X-Own"]
        expected.dataDirectory = "/d"
        expected.pluginFolders = ["/p"]
        expected.logLevel = .warning
        expected.proxy = "socks5h://me:pw@proxy:1080"
        expected.noProxy = "a,b"
        expected.connectTo = ["a.example:443": "[::1]:8443", "*:80": "127.0.0.1:*"]
        expected.interface = "eth0"
        expected.ipVersion = .v6
        expected.httpVersion = .http2PriorKnowledge
        expected.tls.verify = false
        expected.tls.ca = "/ca"
        expected.tls.certificate = "/c"
        expected.tls.key = "/k"
        expected.tls.minimum = .tls13
        expected.closeNotify = false
        expected.speed.download = .mebibytes(1)
        expected.speed.upload = .bytes(0)
        #expect(settings == expected)
    }

    @Test func `a timeout of zero means no timeout`() throws {
        let settings = try read(#"{ "idleTimeout": "0s", "connectTimeout": "0ms" }"#)

        #expect(settings.idleTimeout == nil)
        #expect(settings.connectTimeout == nil)
    }

    @Test func `an empty proxy means no proxy, also if the environment has one`() throws {
        #expect(try read(#"{ "proxy": "" }"#).proxy == "")
    }

    @Test func `the defaults that the schema tells are those that count`() throws {
        var object = JSONObject()
        for key in KernelSettings.keys { object[key.name] = key.schema["default"] }

        let settings = try read(JSONValue.object(object).description)

        #expect(object.count >= 8)
        #expect(settings == KernelSettings())
    }

    @Test(arguments: [
        (#"{ "timeout": 30 }"#, "kernel.timeout", "must be a time"),
        (#"{ "timeout": "30" }"#, "kernel.timeout", "must be a time"),
        (#"{ "timeout": "-1s" }"#, "kernel.timeout", "must be a time"),
        (#"{ "timeout": null }"#, "kernel.timeout", "must be a time"),
        (#"{ "timeout": "99999999999999999999d" }"#, "kernel.timeout", "must be a time"),
        (#"{ "connections": 1.5 }"#, "kernel.connections", "must be a whole number"),
        (#"{ "connections": 1e400 }"#, "kernel.connections", "must be a whole number"),
        (#"{ "attemptLimit": 0 }"#, "kernel.attemptLimit", "between 1 and"),
        (#"{ "bufferLimit": "1B" }"#, "kernel.bufferLimit", "between 16KiB and 1GiB"),
        (#"{ "logLevel": "loud" }"#, "kernel.logLevel", "one of debug, info, warning, error"),
        (#"{ "ipVersion": "4" }"#, "kernel.ipVersion", "one of any, v4, v6"),
        (#"{ "httpVersion": 2 }"#, "kernel.httpVersion", "one of any, 1.0, 1.1, 2, 2-prior-knowledge"),
        (#"{ "proxy": "proxy:3128" }"#, "kernel.proxy", "must be a URL like"),
        (#"{ "proxy": "ftp://proxy" }"#, "kernel.proxy", "must be a URL like"),
        (#"{ "interface": "eth0\u0000" }"#, "kernel.interface", "must be the name"),
        (
            #"{ "connectTo": { "a.example": "b:1" } }"#, "kernel.connectTo",
            "has the key `a.example`, which must be host:port"
        ),
        (#"{ "connectTo": { "a:1": "b:0" } }"#, #"kernel.connectTo["a:1"]"#, "must be host:port"),
        (#"{ "connectTo": [] }"#, "kernel.connectTo", "must be an object, not an array"),
        (
            #"{ "pluginFolders": "a" }"#, "kernel.pluginFolders",
            #"must be a list of strings, such as ["…"], not a string"#
        ),
        (#"{ "pluginFolders": ["a", ""] }"#, "kernel.pluginFolders[1]", "must be a path"),
        (#"{ "tls": true }"#, "kernel.tls", "must be an object, not a boolean"),
        (#"{ "tls": { "verfy": true } }"#, "kernel.tls.verfy", "did you mean verify?"),
        (#"{ "tls": { "verify": "yes" } }"#, "kernel.tls.verify", "must be true or false"),
        (#"{ "tls": { "key": "k.pem" } }"#, "kernel.tls.key", "needs a certificate too"),
        (#"{ "tls": { "minimum": "1.1" } }"#, "kernel.tls.minimum", "one of 1.2, 1.3"),
        (#"{ "tls": { "pins": { "a": [] } } }"#, "kernel.tls.pins.a", "at least one pin"),
        (#"{ "tls": { "pins": { "a": ["sha256//AAAA"] } } }"#, "kernel.tls.pins.a[0]", "44 characters"),
        (#"{ "tls": { "pins": { "https://a": [] } } }"#, "kernel.tls.pins", "which must be the name of a host"),
        (
            #"{ "tls": { "pins": { "a": null } } }"#, "kernel.tls.pins.a",
            #"must be a list of strings, such as ["…"], not null"#
        ),
        (#"{ "speed": { "download": 5 } }"#, "kernel.speed.download", "bytes a second"),
    ])
    func `a value that does not fit is an error that says which values do`(kernel: String, path: String, reason: String)
    {
        let check = Configuration.check("{ \"kernel\": \(kernel) }".utf8)

        #expect(check.errors.count == 1)
        #expect(check.errors.first?.path == path)
        #expect(check.errors.first?.reason.contains(reason) == true, "\(check.errors)")
    }

    @Test func `a host that is pinned twice is an error`() {
        let pin = "sha256//AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="
        let text = "{ \"kernel\": { \"tls\": { \"pins\": { \"a\": [\"\(pin)\"], \"A\": [\"\(pin)\"] } } } }"

        #expect(Configuration.check(text.utf8).errors.map(\.path) == ["kernel.tls.pins.A"])
    }
}
