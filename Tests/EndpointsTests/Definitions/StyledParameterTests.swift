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

    @Test(arguments: [
        (DefinedParameter.Style.matrix, false, "blue", ";color=blue"), (.matrix, false, "", ";color"),
        (.matrix, false, array, ";color=blue,black,brown"), (.matrix, false, object, ";color=R,100,G,200,B,150"),
        (.matrix, true, array, ";color=blue;color=black;color=brown"), (.matrix, true, object, ";R=100;G=200;B=150"),
        (.label, false, "blue", ".blue"), (.label, false, array, ".blue,black,brown"),
        (.label, false, object, ".R,100,G,200,B,150"), (.label, true, array, ".blue.black.brown"),
        (.label, true, object, ".R=100.G=200.B=150"), (.simple, false, "blue", "blue"),
        (.simple, false, array, "blue,black,brown"), (.simple, false, object, "R,100,G,200,B,150"),
        (.simple, true, array, "blue,black,brown"), (.simple, true, object, "R=100,G=200,B=150"),
        (.simple, false, "a/b?c", "a%2Fb%3Fc"), (.simple, false, true, "true"),
        (.json, false, object, "%7B%22R%22%3A100%2C%22G%22%3A200%2C%22B%22%3A150%7D"),
    ])
    func `a placeholder is written in its style`(
        style: DefinedParameter.Style, explodes: Bool, value: JSONValue, text: String
    ) throws {
        #expect(try styled(style, explodes, value).pathText() == text)
    }

    @Test(arguments: [
        (DefinedParameter.Style.form, Bool?.none, "blue", "color=blue"), (.form, nil, "", "color="),
        (.form, nil, array, "color=blue&color=black&color=brown"), (.form, nil, object, "R=100&G=200&B=150"),
        (.form, false, array, "color=blue,black,brown"), (.form, false, object, "color=R,100,G,200,B,150"),
        (.spaceDelimited, false, array, "color=blue%20black%20brown"),
        (.spaceDelimited, false, object, "color=R%20100%20G%20200%20B%20150"),
        (.pipeDelimited, false, array, "color=blue%7Cblack%7Cbrown"),
        (.deepObject, nil, object, "color%5BR%5D=100&color%5BG%5D=200&color%5BB%5D=150"),
        (.deepObject, nil, ["a": ["b": ["c", 1]]], "color%5Ba%5D%5Bb%5D%5B0%5D=c&color%5Ba%5D%5Bb%5D%5B1%5D=1"),
        (.form, nil, [], ""), (.form, false, [], ""), (.form, nil, "a&b=c d", "color=a%26b%3Dc%20d"),
        (.json, nil, ["a": [1]], "color=%7B%22a%22%3A%5B1%5D%7D"),
    ])
    func `a parameter of the query is written in its style`(
        style: DefinedParameter.Style, explodes: Bool?, value: JSONValue, text: String
    ) throws {
        #expect(
            try styled(style, explodes, value).pairs().map { "\($0.name)=\($0.value)" }.joined(separator: "&") == text)
    }

    @Test func `reserved characters that end a parameter are encoded always`() throws {
        let pair = try styled(.form, nil, "/?:@[]!$'()*,;=&#+ %", allowsReserved: true).pairs()[0]

        #expect(pair.value == "/?:@[]!$'()*,;=%26%23%2B%20%25")
    }

    @Test(arguments: [
        (false, array, "blue,black,brown"), (false, object, "R,100,G,200,B,150"), (true, object, "R=100,G=200,B=150"),
        (false, "a b/ü", "a b/ü"),
    ])
    func `a header field is written without percent-encoding`(explodes: Bool, value: JSONValue, text: String) throws {
        #expect(try styled(.simple, explodes, value).fieldText() == text)
    }

    @Test(arguments: [
        (DefinedParameter.Style.form, JSONValue.array([["a"]]), "has a list or an object within"),
        (.spaceDelimited, ["a": [1]], "has a list or an object within"),
    ])
    func `a value that the style cannot write is refused`(
        style: DefinedParameter.Style, value: JSONValue, reason: String
    ) {
        let error = #expect(throws: PlugboardError.self) { try styled(style, nil, value).pairs() }

        #expect(error?.code == .requestParameter)
        #expect(error?.reason.hasPrefix("The parameter color \(reason)") == true)
        #expect(error?.reason.contains("a\"") == false)
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
