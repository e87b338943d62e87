import Plugboard
import Testing

@Suite struct PluginEntryTests {
    @Test(arguments: [
        (#""a b""#, "plugins[0]", "must be a plugin's id"),
        (#""""#, "plugins[0]", "must be a plugin's id"),
        (#""/a\u0000.so""#, "plugins[0]", "must be a path"),
        (#"null"#, "plugins[0]", "must be a string or an object, not null"),
        (#"{ "id": "a", "path": "" }"#, "plugins[0].path", "must be a path"),
        (#"{ "id": "a", "prio": 1 }"#, "plugins[0].prio", "is not a known key"),
        (#"{ "id": "a", "priorty": 1 }"#, "plugins[0].priorty", "did you mean priority?"),
        (#"{ "id": "a", "priority": -1 }"#, "plugins[0].priority", "between 0 and 999"),
        (
            #"{ "id": "a", "before": "b" }"#, "plugins[0].before",
            #"must be a list of strings, such as ["…"], not a string"#
        ),
        (#"{ "id": "a", "after": [1] }"#, "plugins[0].after[0]", "must be a plugin's id"),
        (#"{ "id": "a", "settings": [] }"#, "plugins[0].settings", "must be an object"),
        (#"{ "id": "a", "enabled": "no" }"#, "plugins[0].enabled", "must be true or false"),
        (#"{ "path": "a", "sha256": "12" }"#, "plugins[0].sha256", "must be 64 hexadecimal digits"),
    ])
    func `a value that does not fit is an error that says which values do`(entry: String, path: String, reason: String)
    {
        let check = Configuration.check("{ \"plugins\": [\(entry)] }".utf8)

        #expect(check.errors.count == 1)
        #expect(check.errors.first?.path == path)
        #expect(check.errors.first?.reason.contains(reason) == true, "\(check.errors)")
    }

    @Test func `onFault is one of three words`() {
        let check = Configuration.check(#"{ "plugins": [{ "id": "a", "onFault": "ignore" }] }"#.utf8)

        #expect(check.errors.map(\.path) == ["plugins[0].onFault"])
        #expect(check.errors.map(\.reason) == ["must be one of fail, skip, disable"])
    }

    @Test func `a digest without a file is an error`() {
        let digest = String(repeating: "aB", count: 32)

        let linked = Configuration.check("{ \"plugins\": [{ \"id\": \"a\", \"sha256\": \"\(digest)\" }] }".utf8)
        let loaded = Configuration.check("{ \"plugins\": [{ \"path\": \"a\", \"sha256\": \"\(digest)\" }] }".utf8)

        #expect(linked.errors.map(\.path) == ["plugins[0].sha256"])
        #expect(loaded.configuration?.plugins.first?.sha256 == digest)
    }
}

@Suite struct ConfigurationSecretsTests {
    @Test(arguments: [
        #"{ "kernel": { "proxy": "http:/me:hunter2@proxy" } }"#,
        #"{ "kernel": { "noProxy": "hunter2\u0001" } }"#,
        #"{ "kernel": { "tls": { "key": "hunter2" } } }"#,
        #"{ "kernel": { "logLevel": "hunter2" } }"#,
        #"{ "kernel": { "connectTo": { "a:1": "hunter2" } } }"#,
        #"{ "plugins": ["hunter2 "] }"#,
        #"{ "plugins": [{ "id": "a", "sha256": "hunter2" }] }"#,
        #"{ "origins": { "https://me:hunter2@a.example": {} } }"#,
        #"{ "origins": { "https://a.example": "hunter2" } }"#,
        #"{ "origins": { "https://a.example": { "sign": "hunter2" } } }"#,
        #"{ "origins": "hunter2" }"#,
        #"{ "kernel": "hunter2 }"#,
    ])
    func `no error quotes a value`(text: String) {
        let check = Configuration.check(text.utf8)

        #expect(!check.errors.isEmpty)
        #expect(!check.errors.contains { $0.description.contains("hunter2") }, "\(check.errors)")
    }
}
