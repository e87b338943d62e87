import Plugboard
import PlugboardJSON
import PlugboardKit
import Testing

@testable import PlugboardCore

@Suite struct ConfigurationSchemaTests {
    private let schema = ConfigurationSchema.write(
        CatalogPlugins.catalog, sections: ["endpoints": ["type": "object", "title": "E"]])

    @Test func `the top holds the kernel's keys and the registered sections`() {
        #expect(schema["$schema"] == "https://json-schema.org/draft/2020-12/schema")
        #expect(
            schema["properties"]?.objectValue?.keys == ["$schema", "kernel", "plugins", "origins", "endpoints"])
        #expect(schema["properties"]?["endpoints"]?["title"] == "E")
        #expect(schema["additionalProperties"] == false)
    }

    @Test func `settings are listed with type, bounds, choices, default and documentation`() {
        let cache = schema["$defs"]?["cache"]?["properties"]
        let sign = schema["$defs"]?["com.acme.sign"]

        #expect(
            cache?["entries"]
                == ["type": "integer", "minimum": 1, "maximum": 1000, "description": "Entries.", "default": 100])
        #expect(
            cache?["memory"] == [
                "type": "string", "pattern": "^[0-9]+(B|KiB|MiB|GiB)$",
                "description": "Bytes in memory. Between 0B and 1GiB.", "default": "8MiB",
            ])
        #expect(
            cache?["isShared"]
                == ["type": "boolean", "description": "Whether others may read it.", "default": false])
        #expect(cache?["vary"]?["default"] == ["accept"])
        #expect(cache?["path"] == ["type": "string", "description": "A file."])
        #expect(sign?["properties"]?["method"]?["enum"] == ["hmac", "rsa"])
        #expect(sign?["properties"]?["key"]?["writeOnly"] == true)
        #expect(sign?["required"] == ["key"])
        #expect(schema["$defs"]?["cache"]?["additionalProperties"] == false)
    }

    @Test func `an entry may be the id alone unless the plugin requires a setting`() {
        let ids = schema["properties"]?["plugins"]?["items"]?["anyOf"]?.arrayValue?.compactMap { $0["const"] }

        #expect(ids == ["cache"])
    }

    @Test func `attributes are listed with the switch that every plugin has`() {
        let plugins = schema["properties"]?["origins"]?["additionalProperties"]?["properties"]

        #expect(plugins?["cache"]?["properties"]?.objectValue?.keys == ["ttl", "bypass", "enabled"])
        #expect(plugins?["com.acme.sign"]?["properties"]?["rounds"]?["maximum"] == 9)
    }

    @Test func `every key of the tables has its documentation`() {
        func undocumented(_ schema: JSONValue) -> [String] {
            (schema["properties"]?.objectValue ?? [:]).flatMap { key, value in
                (value["description"]?.stringValue?.isEmpty == false ? [] : [key]) + undocumented(value)
            }
        }

        #expect(undocumented(schema).filter { $0 != "endpoints" } == [])
        #expect(schema["properties"]?["kernel"]?["properties"]?["tls"]?["properties"]?.objectValue?.count == 7)
    }
}
