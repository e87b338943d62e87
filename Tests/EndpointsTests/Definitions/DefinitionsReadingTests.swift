import PlugboardCore
import PlugboardEndpoints
import PlugboardJSON
import PlugboardPropertyList
import TestSupport
import Testing

struct DefinitionsReadingTests {
    private func errors(_ text: String) -> [String] { Definitions.check(text.utf8).errors.map(\.description) }

    @Test func `a definition takes from DEFAULT what it does not say`() throws {
        let definitions = try Definitions.text(
            """
            {
              // Comments and trailing commas are allowed.
              "DEFAULT": {
                "base": "https://api.example.com/", "pathPrefix": "v2/", "headers": {"X-App": "reader", "X-Old": "1"},
                "query": {"lang": "en", "old": 1}, "timeout": "20s", "parameters": {"page": "query"},
              },
              "TopicList": {
                "path": "boards/{board}/topics", "headers": {"x-app": "writer", "X-Old": null},
                "query": {"lang": "da", "old": null}, "parameters": {"page": null, "order": {"in": "query"}},
              },
            }
            """)

        let definition = try #require(definitions["TopicList"])

        #expect(definition.base == "https://api.example.com/")
        #expect(definition.pathPrefix == "v2/")
        #expect(definition.fields["X-App"] == "writer")
        #expect(definition.fields["X-Old"] == nil)
        #expect(definition.query == ["lang": "da"])
        #expect(definition.options.timeout == .seconds(20))
        #expect(definition.parameters.map(\.name) == ["order", "board"])
        #expect(definition.parameter("board")?.place == .path)
        #expect(definitions.names == ["TopicList"])
    }

    @Test func `a definition can refine any other, wherever it stands`() throws {
        let definitions = try Definitions([
            "C": ["refines": "B", "path": "c", "tag": "c"], "B": ["refines": "A", "method": "PUT"],
            "A": ["method": "POST", "group": "g", "tag": "a"],
        ])

        let definition = try #require(definitions["C"])

        #expect(definition.method == .put)
        #expect(definition.group == "g")
        #expect(definition.tag == "c")
        #expect(definitions.names == ["C"])
    }

    @Test func `every key of a definition is read`() throws {
        let definitions = try Definitions([
            "A": [
                "description": "Words.", "deprecated": true, "base": "https://a.example", "pathPrefix": "v1",
                "path": "a/{id}", "method": "PURGE", "headers": ["A": "b"], "query": ["c": 1],
                "parameters": [
                    "id": [
                        "in": "path", "type": "array", "elements": "integer", "style": "matrix", "explode": true,
                        "description": "An id.", "deprecated": true,
                    ],
                    "q": [
                        "in": "query", "name": "query", "type": "string", "values": ["x", "y"], "default": "x",
                        "required": true, "allowReserved": true, "nullable": true,
                    ],
                ],
                "otherParameters": true, "authorization": true, "authorizationHeaders": ["D": "e"],
                "authorizationQuery": ["f": "g"], "requestCodec": "form", "responseCodec": "json", "response": "list",
                "responseType": "Topic", "acceptableTypes": ["application/json"],
                "acceptableStatuses": [200, "3xx", "404-410"], "downloadPath": "/tmp/file", "timeout": "1s",
                "schema": ["type": "object"],
                "connectTimeout": "2s", "idleTimeout": "3s", "attemptTimeout": "4s",
                "cache": ["time": "5s", "version": "6"], "attributes": ["redirect": ["limit": 7]], "tag": "t",
                "group": "g", "category": "c", "userInfo": ["h": "i"], "cdn": true, "generalHeaders": false,
                "generalParameters": false, "generalUserInfo": false,
            ]
        ])

        let definition = try #require(definitions["A"])

        #expect(definition.documentation == "Words." && definition.isDeprecated)
        #expect(definition.method == "PURGE")
        #expect(definition.fields["A"] == "b" && definition.query == ["c": 1])
        let (id, query) = (definition.parameters[0], definition.parameters[1])
        #expect(id.place == .path && id.kind == .array && id.elementKind == .integer && id.style == .matrix)
        #expect(id.explodes == true && id.documentation == "An id." && id.isDeprecated && id.isRequired)
        #expect(query.name == "q" && query.sentName == "query" && query.values == ["x", "y"] && query.fallback == "x")
        #expect(query.isRequired && query.allowsReserved && query.takesNull)
        #expect(definition.takesOtherParameters == true && definition.needsAuthorization == true)
        #expect(definition.authorizationFields["D"] == "e" && definition.authorizationQuery == ["f": "g"])
        #expect(definition.requestCodec == "form" && definition.responseCodec == "json")
        #expect(definition.response == .list && definition.responseType == "Topic")
        #expect(definition.acceptableTypes == ["application/json"])
        #expect(definition.acceptableStatuses == [200...200, 300...399, 404...410])
        #expect(definition.validation == .schema(["type": "object"]))
        #expect(definition.downloadPath == "/tmp/file")
        #expect(definition.options.timeout == .seconds(1) && definition.options.connectTimeout == .seconds(2))
        #expect(definition.options.idleTimeout == .seconds(3) && definition.options.attemptTimeout == .seconds(4))
        #expect(definition.cacheTime == .seconds(5) && definition.cacheVersion == "6")
        #expect(definition.attributes["redirect.limit"] == "7")
        #expect(definition.tag == "t" && definition.group == "g" && definition.category == "c")
        #expect(definition.userInfo == ["h": "i"] && definition.usesCDN)
        #expect(!definition.usesGeneralFields && !definition.usesGeneralParameters && !definition.usesGeneralUserInfo)
    }

    @Test func `all errors are reported at once, with line, column, path and the nearest name`() {
        let text = """
            {
              "DEFAULT": {"refines": "A", "metod": "GET"},
              "A": {"path": "a", "method": "GE T", "base": "example.com", "refines": "DEFALT"},
              "B": {"path": "b/{id", "timeout": 5, "headers": {"Host": "x", "X-A": 1}},
              "C": {"path": "c/{id}", "parameters": {"id": "query", "x": "pth", "y": {"in": "path", "type": "text"}}},
              "D": {"path": "d", "parameters": {"n": {"type": "integer", "default": "x", "style": "simple"}}},
              "E": {"response": "many"},
              "F": 1
            }
            """

        #expect(
            errors(text) == [
                #"line 2, column 26: DEFAULT.refines must not be given: DEFAULT is what the others refine"#,
                #"line 2, column 31: DEFAULT.metod is not a known key; did you mean method?"#,
                #"line 3, column 32: A.method must be the name of a method, such as POST"#,
                #"line 3, column 48: A.base must be an absolute URL of http or https, without a user"#,
                #"line 3, column 74: A.refines is not a known definition; did you mean DEFAULT?"#,
                #"line 4, column 17: B.path has a { without its }; write {name}"#,
                #"line 4, column 37: B.timeout must be a time like "30s" (ms, s, m, h, d; "0s" for no limit)"#,
                #"line 4, column 52: B.headers.Host is not the name of a header field that requests can have"#,
                #"line 4, column 72: B.headers.X-A must be a string, not a number"#,
                #"line 5, column 48: C.parameters.id is a placeholder of the path, and must be in path, not in query"#,
                #"line 5, column 62: C.parameters.x must be one of path, query, header, cookie, body"#,
                #"line 5, column 69: C.parameters.y is not a placeholder of the path; write {y} in it"#,
                #"line 5, column 97: C.parameters.y.type must be one of any, string, integer, number, boolean, array, object, file"#,
                #"line 6, column 73: D.parameters.n.default must be a whole number, not a string"#,
                #"line 6, column 87: D.parameters.n.style is not a style of parameters in query; known are form, spaceDelimited, pipeDelimited, deepObject, json"#,
                #"line 7, column 8: E has no path, and no other definition refines it"#,
                #"line 7, column 21: E.response must be one of none, raw, object, list"#,
                #"line 8, column 8: F must be an object, not a number"#,
            ])
    }

    @Test func `a cycle of definitions is printed once, and further errors are still found`() {
        let errors = errors(
            """
            {"A": {"refines": "B"}, "B": {"refines": "C", "path": "b"}, "C": {"refines": "A"}, "D": {"refines": "A"},
             "E": {"refines": "E", "path": "e"}, "F": {"path": 1, "refines": "D"}}
            """)

        #expect(
            errors == [
                "line 1, column 19: A.refines makes a cycle: A → B → C → A",
                "line 2, column 19: E.refines makes a cycle: E → E",
                "line 2, column 52: F.path must be a path, such as boards/{board}/topics",
            ])
    }

    @Test(arguments: ["[]", "1", "null", "\"a\""])
    func `definitions that are no object are refused`(text: String) {
        #expect(errors(text).count == 1)
        #expect(errors(text)[0].hasPrefix("line 1, column 1: the definitions must be an object of definitions"))
    }

    @Test func `the errors of a file name it, and several are counted`() throws {
        let folder = try TemporaryFolder()
        let file = try folder.write("api.json", #"{"A": {"pth": "a"}, "B": {}}"#)

        let error = #expect(throws: PlugboardError.self) { try Definitions.file(file) }

        #expect(error?.code == .configuration)
        #expect(
            error?.reason.hasPrefix("3 things are wrong with the definitions:\n  \(file), line 1, column 7: A ") == true
        )
        #expect(throws: PlugboardError.self) { try Definitions.file(folder.file("absent.json")) }
    }

    @Test func `relative paths in a file begin at its folder`() throws {
        let folder = try TemporaryFolder()
        let file = try folder.write("api.json", #"{"A": {"path": "a", "downloadPath": "x/file"}}"#)

        #expect(try Definitions.file(file)["A"]?.downloadPath == folder.file("x/file"))
    }

    @Test func `the section of a configuration is read with its lines, and checked by the same rules`() throws {
        let text = """
            {
              "plugins": [],
              "endpoints": {
                "A": {"path": "a"},
                "B": {"pth": "b", "path": "b"}
              }
            }
            """
        let configuration = try Configuration.text(text, sections: [Definitions.section])

        let check = Definitions.check(configuration)

        #expect(
            check.errors.map(\.description) == [
                "line 5, column 11: endpoints.B.pth is not a known key; did you mean path?"
            ])
        #expect(check.definitions == nil)
        #expect(try Definitions(Configuration()).names == [])
    }

    @Test func `a property list holds definitions too`() throws {
        let list = """
            <?xml version="1.0" encoding="UTF-8"?>
            <plist version="1.0"><dict>
              <key>DEFAULT</key><dict><key>base</key><string>https://a.example</string></dict>
              <key>A</key><dict><key>path</key><string>a</string><key>cdn</key><true/></dict>
            </dict></plist>
            """

        let definitions = try Definitions(try PropertyList.json(from: Bytes(list)))
        let definition = try #require(definitions["A"])

        #expect(definition.base == "https://a.example" && definition.usesCDN)
    }

    @Test func `a file that is cut at any byte is an error, or is read`() {
        let text =
            #"{"DEFAULT":{"base":"https://a.example/","headers":{"A":"b"}},"T":{"path":"a/{b}","parameters":{"b":"path"}}}"#

        for count in 0..<text.utf8.count {
            #expect(!Definitions.check(text.utf8.prefix(count)).errors.isEmpty)
        }
        #expect(Definitions.check(text.utf8).errors.isEmpty)
    }

    @Test func `a chain of refinements as long as the file is read`() throws {
        var object = JSONObject()
        for index in 0..<9_999 { object["D\(index)"] = ["refines": .string("D\(index + 1)")] }
        object["D9999"] = ["path": "a"]

        #expect(try Definitions(.object(object)).names.count == 10_000)
    }

    @Test func `definitions that would take too much memory are refused`() {
        var headers = JSONObject()
        for index in 0..<1000 { headers["X-\(index)"] = "a" }
        var object: JSONObject = ["DEFAULT": ["headers": .object(headers)]]
        for index in 0..<9_000 { object["D\(index)"] = ["path": "a"] }

        #expect(throws: PlugboardError.self) { try Definitions(.object(object)) }
    }

    @Test func `definitions are read in linear time`() {
        expectLinearTime(
            "definitions", size: 40_000,
            input: { size in
                "{"
                    + (0..<size / 60).map { "\"D\($0)\":{\"path\":\"a/{b}\",\"headers\":{\"A\":\"b\"}}" }.joined(
                        separator: ",")
                    + "}"
            }, read: { _ = Definitions.check($0.utf8) })
        expectLinearTime(
            "unknown keys", size: 40_000,
            input: { size in "{\"A\":{" + (0..<size / 12).map { "\"metho\($0)\":1" }.joined(separator: ",") + "}}" },
            read: { _ = Definitions.check($0.utf8) })
    }
}
