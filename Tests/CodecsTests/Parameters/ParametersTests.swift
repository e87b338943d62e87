import Plugboard
import PlugboardJSON
import TestSupport
import Testing

struct ParametersTests {
    private enum Order: String, ParameterValue { case newest }

    private struct Search: Encodable {
        var text = "a b"
        var page: Int? = 2
        var missing: Int?
        var tags = ["x", "y"]
    }

    @Test func `a literal takes variables of many types, and keeps its order`() throws {
        let board = "swift"
        let page = 2
        let nothing: Int? = nil
        let parameters: Parameters = [
            "board": board, "page": page, "ratio": 0.5, "float": Float(0.1), "all": true, "nothing": nothing,
            "order": Order.newest, "tags": ["a", "b"], "user": ["name": "Ada", "age": 36] as JSONValue,
        ]

        #expect(
            try parameters.query()
                == "board=swift&page=2&ratio=0.5&float=0.1&all=true&nothing=&order=newest&tags%5B%5D=a&tags%5B%5D=b"
                + "&user%5Bname%5D=Ada&user%5Bage%5D=36")
    }

    @Test func `text of any script is percent-encoded UTF-8, with plus signs for spaces in forms only`() throws {
        let parameters: Parameters = ["名 前": "日本 é~*+&=?#/%"]

        #expect(
            try parameters.query()
                == "%E5%90%8D%20%E5%89%8D=%E6%97%A5%E6%9C%AC%20%C3%A9~%2A%2B%26%3D%3F%23%2F%25")
        #expect(
            try parameters.form() == "%E5%90%8D+%E5%89%8D=%E6%97%A5%E6%9C%AC+%C3%A9%7E*%2B%26%3D%3F%23%2F%25")
    }

    @Test(arguments: [
        (ParameterStyle.Arrays.brackets, "t%5B%5D=a%2Cb&t%5B%5D=c"), (.plain, "t=a%2Cb&t=c"),
        (.indices, "t%5B0%5D=a%2Cb&t%5B1%5D=c"), (.commas, "t=a%2Cb,c"), (.spaces, "t=a%2Cb%20c"),
        (.pipes, "t=a%2Cb%7Cc"),
    ])
    func `arrays have six styles`(arrays: ParameterStyle.Arrays, text: String) throws {
        let parameters: Parameters = ["t": ["a,b", "c"]]

        #expect(try parameters.query(ParameterStyle(arrays: arrays)) == text)
    }

    @Test func `objects in arrays, dots, numbers for booleans, and omitted nulls are styles too`() throws {
        let parameters: Parameters = [
            "u": [["n": 1, "ok": true], ["n": nil]] as JSONValue, "empty": [String](), "none": JSONValue.null,
            "list": [1, nil, 2],
        ]

        #expect(
            try parameters.query() == "u%5B%5D%5Bn%5D=1&u%5B%5D%5Bok%5D=true&u%5B%5D%5Bn%5D=&none=&list%5B%5D=1"
                + "&list%5B%5D=&list%5B%5D=2")
        let style = ParameterStyle(arrays: .indices, objects: .dots, bools: .numbers, nulls: .omitted)
        #expect(try parameters.query(style) == "u%5B0%5D.n=1&u%5B0%5D.ok=1&list%5B0%5D=1&list%5B2%5D=2")
        let list: Parameters = ["list": [1, nil, 2]]
        #expect(try list.query(ParameterStyle(arrays: .commas, nulls: .omitted)) == "list=1,2")
    }

    @Test func `the properties of a value are parameters, without those that are nil`() throws {
        let parameters = try Parameters(encoding: Search())

        #expect(try parameters.query() == "text=a%20b&page=2&tags%5B%5D=x&tags%5B%5D=y")
    }

    @Test func `what cannot be a parameter is refused with a sentence that names it`() throws {
        var deep = JSONValue.array([1])
        for _ in 0..<200 { deep = .array([deep]) }
        let cases: [(Parameters, ParameterStyle, String)] = [
            (["speed": Double.infinity], ParameterStyle(), "speed"),
            (["list": [1, Double.nan]], ParameterStyle(), "list"),
            (["u": [["a": 1]] as JSONValue], ParameterStyle(arrays: .commas), "u"),
            (["deep": deep], ParameterStyle(), "deep"),
        ]

        for (parameters, style, name) in cases {
            let error = #expect(throws: PlugboardError.self) { try parameters.query(style) }
            #expect(error?.code == .requestParameter && error?.reason.hasPrefix("The parameter \(name) ") == true)
        }
        for refused in [{ _ = try Parameters(encoding: [1]) }, { _ = try Parameters(encoding: ["a": Double.nan]) }] {
            let error = #expect(throws: PlugboardError.self) { try refused() }
            #expect(error?.code == .requestParameter)
        }
    }

    @Test(arguments: [
        ("https://a.example/p", "https://a.example/p?n=1"), ("https://a.example/p?", "https://a.example/p?n=1"),
        ("https://a.example/p?a=b", "https://a.example/p?a=b&n=1"),
        ("https://a.example/p?a=b&", "https://a.example/p?a=b&n=1"),
        ("https://a.example/p#part", "https://a.example/p?n=1#part"),
        ("https://a.example/p?a#x?y", "https://a.example/p?a&n=1#x?y"), ("topics", "topics?n=1"),
        ("https://a.example/p#\u{301}x", "https://a.example/p?n=1#\u{301}x"),
    ])
    func `parameters are added behind those of a URL, and before its fragment`(url: String, result: String) throws {
        let parameters: Parameters = ["n": 1]

        #expect(try parameters.added(to: url) == result)
        #expect(try Parameters().added(to: url) == url)
    }

    @Test func `a name can occur more than once, and is set, removed and merged as a whole`() throws {
        var parameters: Parameters = ["a": 1, "b": 2, "a": 3]
        #expect(try parameters.query() == "a=1&b=2&a=3" && parameters["a"] == 1 && parameters.count == 3)

        parameters["a"] = 9
        parameters.append("c", "x")
        #expect(try parameters.query() == "a=9&b=2&c=x")
        #expect(try parameters.merging(["b": 5, "d": 6]).query() == "a=9&c=x&b=5&d=6")
        parameters["b"] = nil
        parameters.set("c", Double.nan)
        #expect(throws: PlugboardError.self) { try parameters.query() }
        parameters.set("c", 1)
        #expect(try parameters.query() == "a=9&c=1")
    }

    @Test func `a form is read back`() throws {
        let parameters: Parameters = ["名 前": "日本 é~*+&=?#/%", "empty": "", "a": "1", "a": "2"]

        let read = Parameters(form: Bytes(try parameters.form()))

        #expect(read == parameters)
        #expect(Parameters(form: Bytes("a&=b&%zz=%4&&%41=+")) == ["a": "", "": "b", "%zz": "%4", "A": " "])
    }

    @Test func `a description shows names and no values`() {
        let parameters: Parameters = ["token": "secret"]

        #expect(!"\(parameters)\(String(reflecting: parameters))".contains("secret"))
    }

    @Test func `writing takes time that grows with the parameters`() {
        expectLinearTime(
            "parameters", size: 2000, input: { count in Parameters(JSONObject((0..<count).map { ("p\($0)", .null) })) },
            read: { _ = try? $0.query() })
    }
}
