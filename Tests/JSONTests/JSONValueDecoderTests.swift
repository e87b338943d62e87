import PlugboardJSON
import PlugboardJSONCoding
import Testing

private enum Level: String, Codable, CaseIterable { case debug, info, warning }

private enum Backoff: Codable, Equatable {
    case fixed(seconds: Int)
    case none
}

private struct Retry: Codable, Equatable {
    var attempts: Int
    var codes: [UInt16]?
    var backoff: Backoff?
}

private struct Settings: Codable, Equatable {
    var timeout: Double
    var level: Level?
    var retry: Retry?
    var origins: [String: Retry]?
    var raw: JSONValue?
}

/// A plugin is a name, or an object with an id.
private enum Entry: Decodable, Equatable {
    case name(String)
    case object(id: String, priority: Int?)

    private enum Keys: CodingKey { case id, priority }

    init(from decoder: any Decoder) throws {
        if let name = try? decoder.singleValueContainer().decode(String.self) {
            self = .name(name)
        } else {
            let container = try decoder.container(keyedBy: Keys.self)
            self = .object(
                id: try container.decode(String.self, forKey: .id),
                priority: try container.decodeIfPresent(Int.self, forKey: .priority))
        }
    }
}

private struct Nothing: Decodable {}

private class Base: Decodable { var base: Int = 0 }

private final class Derived: Base {
    let derived: Int
    private enum Keys: CodingKey { case derived }

    required init(from decoder: any Decoder) throws {
        derived = try decoder.container(keyedBy: Keys.self).decode(Int.self, forKey: .derived)
        try super.init(from: decoder)
    }
}

private struct Alternatives: Decodable {
    let retry: Retry?
    let other: [String: Int]?
    private enum Keys: CodingKey { case value }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Keys.self)
        retry = try? container.decode(Retry.self, forKey: .value)
        other = retry == nil ? try container.decode([String: Int].self, forKey: .value) : nil
    }
}

@Suite struct `Decoding from JSON` {
    private func decode<Value: Decodable>(_ type: Value.Type, _ text: String, strict: Bool = true) throws -> Value {
        try JSONValueDecoder(strict: strict).decode(type, from: JSONParser.parse(text))
    }

    @Test func `nested types, arrays, dictionaries, optionals and enums decode`() throws {
        let settings = try decode(
            Settings.self,
            #"{"timeout":1.5,"level":"info","#
                + #""retry":{"attempts":3.0,"codes":[5e2,503],"backoff":{"fixed":{"seconds":2}}},"#
                + #""origins":{"a":{"attempts":1},"b":{"attempts":2,"codes":null}},"raw":{"x":[1.50]}}"#)

        let retry = Retry(attempts: 3, codes: [500, 503], backoff: .fixed(seconds: 2))
        #expect(settings.timeout == 1.5 && settings.level == .info && settings.retry == retry)
        #expect(settings.origins == ["a": Retry(attempts: 1), "b": Retry(attempts: 2)])
        #expect(settings.raw?.description == #"{"x":[1.50]}"#)
    }

    @Test(arguments: [
        (#"{"timeout":1,"retri":{"attempts":1}}"#, #"(root): unknown key "retri"; the nearest known key is "retry""#),
        (#"{"timeout":1,"zzz":0}"#, #"(root): unknown key "zzz""#),
        (
            #"{"timeout":1,"retry":{"attempts":1,"code":[]}}"#,
            #"retry: unknown key "code"; the nearest known key is "codes""#
        ),
        (#"{"timeout":1,"origins":{"a":{"attempts":1,"x":0}}}"#, #"origins.a: unknown key "x""#),
        (
            #"{"timeout":1,"retry":{"attempts":1,"backoff":{"fixed":{"seconds":1,"second":1}}}}"#,
            #"retry.backoff.fixed: unknown key "second"; the nearest known key is "seconds""#
        ),
        (#"{"timeot":1}"#, #"(root): the key "timeout" is missing; the nearest key that is there is "timeot""#),
        (#"{}"#, #"(root): the key "timeout" is missing"#),
        (#"{"timeout":"1s"}"#, "timeout: a number is expected, not a string"),
        (#"{"timeout":null}"#, "timeout: a number is expected, not null"),
        (#"{"timeout":1e999}"#, "timeout: the number does not fit in Double"),
        (#"{"timeout":1,"retry":[]}"#, "retry: an object is expected, not an array"),
        (#"{"timeout":1,"retry":{"attempts":1.5}}"#, "retry.attempts: an integer is expected, not a fraction"),
        (
            #"{"timeout":1,"retry":{"attempts":1,"codes":[1,70000]}}"#,
            "retry.codes[1]: the number does not fit in UInt16"
        ),
        (#"{"timeout":1,"retry":{"attempts":1,"codes":[1,-1]}}"#, "retry.codes[1]: the number does not fit in UInt16"),
        (
            #"{"timeout":1,"retry":{"attempts":1,"codes":[true]}}"#,
            "retry.codes[0]: an integer is expected, not a boolean"
        ),
        (
            #"{"timeout":1,"level":"inof"}"#,
            #"level: one of "debug", "info", "warning" is expected; the nearest is "info""#
        ),
        (#"{"timeout":1,"level":"s3cret-token"}"#, #"level: one of "debug", "info", "warning" is expected"#),
        (#"[]"#, "(root): an object is expected, not an array"),
    ])
    func `an error names the path and what is wrong`(_ text: String, _ description: String) throws {
        let error = #expect(throws: JSONDecodingError.self) { try decode(Settings.self, text) }

        #expect(error?.description == description)
    }

    @Test func `without strictness unknown keys are passed over`() throws {
        let retry = try decode(Retry.self, #"{"attempts":1,"x":{"y":[]}}"#, strict: false)

        #expect(retry == Retry(attempts: 1))
    }

    @Test func `a type of one's own may take several shapes`() throws {
        let entries = try decode([Entry].self, #"["logging",{"id":"cache"},{"id":"x","priority":7}]"#)
        let error = #expect(throws: JSONDecodingError.self) {
            try decode([Entry].self, #"["a",{"id":"b","prority":1}]"#)
        }

        #expect(entries == [.name("logging"), .object(id: "cache", priority: nil), .object(id: "x", priority: 7)])
        #expect(error?.path == [1])
        #expect(error?.reason == #"unknown key "prority"; the nearest known key is "priority""#)
    }

    @Test func `an attempt that failed leaves no unknown keys behind`() throws {
        let other = try decode(Alternatives.self, #"{"value":{"attempts":1,"more":2}}"#)
        let retry = try decode(Alternatives.self, #"{"value":{"attempts":1}}"#)

        #expect(other.retry == nil && other.other == ["attempts": 1, "more": 2])
        #expect(retry.retry == Retry(attempts: 1))
    }

    @Test func `a superclass that reads the same object shares its keys`() throws {
        let value = try decode(Derived.self, #"{"derived":1,"base":2}"#)

        #expect(value.derived == 1 && value.base == 2)
        #expect(throws: JSONDecodingError.self) { try decode(Derived.self, #"{"derived":1,"base":2,"c":3}"#) }
    }

    @Test func `a type without properties allows no keys`() throws {
        _ = try decode(Nothing.self, "{}")

        #expect(throws: JSONDecodingError.self) { try decode(Nothing.self, #"{"a":1}"#) }
        _ = try decode(Nothing.self, #"{"a":1}"#, strict: false)
    }

    @Test func `numbers decode at the edges of their types`() throws {
        #expect(try decode(UInt64.self, "18446744073709551615") == .max)
        #expect(try decode(Int8.self, "-128") == .min)
        #expect(try decode(Int128.self, "170141183460469231731687303715884105727") == .max)
        #expect(try decode(Float.self, "0.1") == 0.1)
        #expect(try decode([Double].self, "[1,-0.5,1e-999999999]") == [1, -0.5, 0])
        #expect(throws: JSONDecodingError.self) { try decode(Float.self, "1e39") }
        #expect(throws: JSONDecodingError.self) { try decode(UInt64.self, "18446744073709551616") }
        // Its digits are zero in 64 bits.
        #expect(try decode(Double.self, "18446744073709551616") == 0x1p64)
        #expect(try decode(Double.self, "1.8446744073709551616") == 1.8446744073709551616)
        #expect(throws: JSONDecodingError.self) { try decode(Int.self, "1e999999999") }
    }

    @Test func `optionals inside arrays and dictionaries may be null`() throws {
        #expect(try decode([Int?].self, "[1,null,2]") == [1, nil, 2])
        #expect(try decode([String: Bool?].self, #"{"a":null}"#).count == 1)
        #expect(try decode([Int: String].self, #"{"7":"x"}"#) == [7: "x"])
        #expect(try decode(Int?.self, "null") == nil)
        #expect(try decode(JSONNumber.self, "1.50").text == "1.50")
        #expect(try decode([JSONObject].self, #"[{"b":1,"a":2}]"#).first?.keys == ["b", "a"])
        #expect(throws: JSONDecodingError.self) { try decode([Int].self, "[1,null]") }
    }
}

@Suite struct `Encoding to JSON` {
    @Test func `what is encoded decodes to the same`() throws {
        let settings = Settings(
            timeout: 1.5, level: .warning,
            retry: Retry(attempts: 3, codes: [500], backoff: .fixed(seconds: 2)),
            origins: ["a": Retry(attempts: 1, backoff: Backoff.none)], raw: ["x": [1.5, nil]])

        let value = try JSONValueEncoder().encode(settings)

        let expected =
            #"{"timeout":1.5,"level":"warning","retry":{"attempts":3,"codes":[500],"backoff":{"fixed":{"seconds":2}}},"#
            + #""origins":{"a":{"attempts":1,"backoff":{"none":{}}}},"raw":{"x":[1.5,null]}}"#
        #expect(value.description == expected)
        #expect(try JSONValueDecoder().decode(Settings.self, from: value) == settings)
    }

    @Test func `numbers keep their value and their text`() throws {
        let number = try #require(JSONNumber(text: "1.50"))

        #expect(try JSONValueEncoder().encode([UInt64.max]).description == "[18446744073709551615]")
        #expect(try JSONValueEncoder().encode(Float(0.1)).description == "0.1")
        #expect(try JSONValueEncoder().encode(["k": number]).description == #"{"k":1.50}"#)
        #expect(try JSONValueEncoder().encode([Int?.none, 1]) == [nil, 1])
        #expect(try JSONValueEncoder().encode([String]()) == [])
    }

    @Test func `infinity and NaN have no JSON form`() throws {
        let error = #expect(throws: JSONEncodingError.self) {
            try JSONValueEncoder().encode(["a": [1, Double.infinity]])
        }

        #expect(error?.path == ["a", 1])
        #expect(throws: JSONEncodingError.self) { try JSONValueEncoder().encode(Float.nan) }
    }
}
