import PlugboardCore
import PlugboardJSON
import Testing

@testable import PlugboardEndpoints

/// The examples of OpenAPI §4.8.12.5 (3.1.1), and what they leave open.
struct StyledParameterTests {
    private static let array: JSONValue = ["blue", "black", "brown"]
    private static let object: JSONValue = ["R": 100, "G": 200, "B": 150]

    private func styled(
        _ style: DefinedParameter.Style, _ explodes: Bool?, _ value: JSONValue, allowsReserved: Bool = false
    ) -> StyledParameter {
        var parameter = DefinedParameter("color", .query)
        parameter.style = style
        parameter.explodes = explodes
        parameter.allowsReserved = allowsReserved
        return StyledParameter(parameter, value, usual: .form)
    }

    @Test func `reserved characters are encoded in a path, whatever the definition says`() throws {
        var parameter = DefinedParameter("u", .path)
        parameter.allowsReserved = true

        let text = try StyledParameter(parameter, "https://evil.test/x?admin=1", usual: .simple).pathText()

        #expect(text == "https%3A%2F%2Fevil.test%2Fx%3Fadmin%3D1")
    }

    /// A value in a style, and what is sent. A type, because the compiler is slow with large lists of tuples.
    struct Case: Sendable {
        let style: DefinedParameter.Style
        let explodes: Bool?
        let value: JSONValue
        let text: String

        init(_ style: DefinedParameter.Style, _ explodes: Bool?, _ value: JSONValue, _ text: String) {
            self.style = style
            self.explodes = explodes
            self.value = value
            self.text = text
        }
    }

    private static let placeholders: [Case] = [
        Case(.matrix, false, "blue", ";color=blue"), Case(.matrix, false, "", ";color"),
        Case(.matrix, false, array, ";color=blue,black,brown"),
        Case(.matrix, false, object, ";color=R,100,G,200,B,150"),
        Case(.matrix, true, array, ";color=blue;color=black;color=brown"),
        Case(.matrix, true, object, ";R=100;G=200;B=150"), Case(.label, false, "blue", ".blue"),
        Case(.label, false, array, ".blue,black,brown"), Case(.label, false, object, ".R,100,G,200,B,150"),
        Case(.label, true, array, ".blue.black.brown"), Case(.label, true, object, ".R=100.G=200.B=150"),
        Case(.simple, false, "blue", "blue"), Case(.simple, false, array, "blue,black,brown"),
        Case(.simple, false, object, "R,100,G,200,B,150"), Case(.simple, true, array, "blue,black,brown"),
        Case(.simple, true, object, "R=100,G=200,B=150"), Case(.simple, false, "a/b?c", "a%2Fb%3Fc"),
        Case(.simple, false, true, "true"), Case(.json, false, ["R": 100], "%7B%22R%22%3A100%7D"),
    ]

    @Test(arguments: placeholders) func `a placeholder is written in its style`(_ row: Case) throws {
        #expect(try styled(row.style, row.explodes, row.value).pathText() == row.text)
    }

    private static let queries: [Case] = [
        Case(.form, nil, "blue", "color=blue"), Case(.form, nil, "", "color="),
        Case(.form, nil, array, "color=blue&color=black&color=brown"), Case(.form, nil, object, "R=100&G=200&B=150"),
        Case(.form, false, array, "color=blue,black,brown"), Case(.form, false, object, "color=R,100,G,200,B,150"),
        Case(.spaceDelimited, false, array, "color=blue%20black%20brown"),
        Case(.spaceDelimited, false, object, "color=R%20100%20G%20200%20B%20150"),
        Case(.pipeDelimited, false, array, "color=blue%7Cblack%7Cbrown"),
        Case(.deepObject, nil, object, "color%5BR%5D=100&color%5BG%5D=200&color%5BB%5D=150"),
        Case(.deepObject, nil, ["a": ["b": ["c", 1]]], "color%5Ba%5D%5Bb%5D%5B0%5D=c&color%5Ba%5D%5Bb%5D%5B1%5D=1"),
        Case(.form, nil, [], ""), Case(.form, false, [], ""), Case(.form, nil, "a&b=c d", "color=a%26b%3Dc%20d"),
        Case(.json, nil, ["a": [1]], "color=%7B%22a%22%3A%5B1%5D%7D"),
    ]

    @Test(arguments: queries) func `a parameter of the query is written in its style`(_ row: Case) throws {
        let pairs = try styled(row.style, row.explodes, row.value).pairs()

        #expect(pairs.map { "\($0.name)=\($0.value)" }.joined(separator: "&") == row.text)
    }

    @Test func `reserved characters that end a parameter are encoded always`() throws {
        let pair = try styled(.form, nil, "/?:@[]!$'()*,;=&#+ %", allowsReserved: true).pairs()[0]

        #expect(pair.value == "/?:@[]!$'()*,;=%26%23%2B%20%25")
    }

    private static let fieldTexts: [Case] = [
        Case(.simple, false, array, "blue,black,brown"), Case(.simple, false, object, "R,100,G,200,B,150"),
        Case(.simple, true, object, "R=100,G=200,B=150"), Case(.simple, false, "a b/ü", "a b/ü"),
    ]

    @Test(arguments: fieldTexts) func `a header field is written without percent-encoding`(_ row: Case) throws {
        #expect(try styled(row.style, row.explodes, row.value).fieldText() == row.text)
    }

    @Test(arguments: [Case(.form, nil, [["a"]], ""), Case(.spaceDelimited, nil, ["a": [1]], "")])
    func `a value that the style cannot write is refused`(_ row: Case) {
        let error = #expect(throws: PlugboardError.self) { try styled(row.style, nil, row.value).pairs() }

        #expect(error?.code == .requestParameter)
        #expect(error?.reason.hasPrefix("The parameter color has a list or an object within") == true)
    }

    @Test func `empty segments and line breaks are refused`() {
        #expect(throws: PlugboardError.self) { try styled(.simple, false, "").pathText() }
        #expect(throws: PlugboardError.self) { try styled(.simple, false, []).pathText() }
        #expect(throws: PlugboardError.self) { try styled(.simple, false, "a\r\nB: c").fieldText() }
    }

    @Test func `values as deep as can be are refused and not followed`() {
        var value: JSONValue = 1
        for _ in 0..<1000 { value = ["a": value] }

        #expect(throws: PlugboardError.self) { try styled(.deepObject, nil, value).pairs() }
    }
}
