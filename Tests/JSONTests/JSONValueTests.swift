import PlugboardJSON
import Testing

@Suite struct `JSON values` {
    @Test func `literals make values`() throws {
        let value: JSONValue = ["a": [1, 2.5, "x", true, nil], "b": [:], "c": "\(1 + 1)"]

        let parsed = try JSONParser.parse(#"{"a":[1,2.5,"x",true,null],"b":{},"c":"2"}"#)

        #expect(value == parsed)
    }

    @Test func `subscripts and accessors give nil for what is not there`() {
        let value: JSONValue = ["a": [1, "x", 2.5]]

        #expect(value["a"]?[0]?.intValue == 1)
        #expect(value["a"]?[1]?.stringValue == "x")
        #expect(value["a"]?[2]?.intValue == nil)
        #expect(value["a"]?[3] == nil)
        #expect(value["a"]?[-1] == nil)
        #expect(value["a"]?[.max] == nil)
        #expect(value["b"] == nil)
        #expect(value[0] == nil)
        #expect(value["a"]?["b"] == nil)
        #expect(value.arrayValue == nil)
        #expect(value.objectValue?.count == 1)
        #expect(value[path: ["a", 2]]?.numberValue == 2.5)
        #expect(value[path: ["a", 2, "c"]] == nil)
        #expect(JSONValue.bool(true).boolValue == true)
        #expect(JSONValue.null.isNull)
    }

    @Test func `objects are equal whatever their order, deeply`() throws {
        let left = try JSONParser.parse(#"{"a":1,"b":{"c":[1.0],"d":null}}"#)
        let right = try JSONParser.parse(#"{"b":{"d":null,"c":[1e0]},"a":1.00}"#)

        #expect(left == right)
        #expect(left.hashValue == right.hashValue)
        #expect(Set([left, right]).count == 1)
    }

    @Test func `values of different kinds differ`() {
        let values: [JSONValue] = [
            nil, false, true, 0, 1, "", "0", [], [nil], [:], ["": nil], ["ab", "c"], ["a", "bc"],
        ]

        #expect(Set(values).count == values.count)
    }

    @Test func `strings are compared by code points, without normalization`() {
        let composed: JSONValue = "\u{E9}"
        let decomposed: JSONValue = "e\u{301}"
        let object: JSONObject = ["\u{E9}": 1, "e\u{301}": 2]

        #expect(composed != decomposed)
        #expect(object.count == 2)
        #expect(object["e\u{301}"] == 2)
    }
}

@Suite struct `JSON objects` {
    @Test(arguments: [0, 1, 12, 13, 1000])
    func `members keep their order and are found at any size`(_ count: Int) {
        var object = JSONObject((0..<count).reversed().map { ("key\($0)", JSONValue.number(JSONNumber($0))) })

        object["key0"] = object["key0"].map { _ in "first" }

        #expect(object.count == count)
        #expect(object.keys == (0..<count).reversed().map { "key\($0)" })
        for key in 1..<max(1, count) { #expect(object["key\(key)"]?.intValue == Int64(key)) }
        #expect(object["key0"] == (count > 0 ? "first" : nil))
        #expect(object["key\(count)"] == nil)
    }

    @Test(arguments: [5, 13, 14, 100])
    func `removal keeps the others reachable`(_ count: Int) {
        var object = JSONObject((0..<count).map { ("key\($0)", JSONValue.number(JSONNumber($0))) })

        object["key2"] = nil
        object["absent"] = nil

        #expect(object.count == count - 1)
        #expect(!object.contains("key2"))
        for (position, key) in object.keys.enumerated() { #expect(object[key] == object.values[position]) }
        #expect(object.removeValue(forKey: "key0") == 0)
        #expect(object.updateValue(7, forKey: "key1") == 1)
    }
}

@Suite struct `Spelling suggestions` {
    @Test(arguments: [
        ("timout", "timeout"), ("tiemout", "timeout"), ("TimeOut", "timeout"), ("time-out", "timeout"),
        ("conections", "connections"), ("ttl", "ttl"), ("tl", "ttl"), ("plugin", "plugins"),
    ])
    func `a misspelled word is an error that names the nearest known word`(_ word: String, _ expected: String) {
        let known = ["connections", "plugins", "timeout", "ttl"]

        #expect(Spelling.nearest(word, in: known) == expected)
    }

    @Test(arguments: ["", "x", "cache", "timing-of-it", String(repeating: "timeout", count: 1000)])
    func `a word unlike all others leads nowhere`(_ word: String) {
        #expect(Spelling.nearest(word, in: ["timeout", "ttl", "plugins", "y"]) == nil)
    }

    @Test func `the closest wins, then the first`() {
        #expect(Spelling.nearest("abcdef", in: ["abcdxx", "abcdex", "abcxef"]) == "abcdex")
        #expect(Spelling.nearest("abc", in: [String]()) == nil)
    }
}
