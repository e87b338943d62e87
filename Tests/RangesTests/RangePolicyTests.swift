import PlugboardFieldValues
import PlugboardMessages
import Testing

@testable import PlugboardRanges

/// A response to the request for bytes 600 to 999 of a representation of 1000 bytes, and what it is good for.
struct RangeRow: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let status: Int
    let fields: [String]
    let expected: String
    var bodyLength: Int?
    var held: Representation

    static let tag = "ETag: \"a\""
    static let strong = Representation(validator: .entityTag("\"a\""), length: 1000, coding: "")
    static let unknownLength = Representation(validator: .entityTag("\"a\""), length: nil, coding: "")
    static let coded = Representation(validator: .entityTag("\"a\""), length: 1000, coding: "gzip")
    static let dated = Representation(
        validator: .lastModified(HTTPDate(seconds: 784_111_777)), length: 1000, coding: "")
    static let weak = Representation(validator: nil, length: 1000, coding: "", marks: ["W/\"a\""])

    init(
        _ name: String, _ status: Int, _ fields: [String], _ expected: String, body: Int? = nil,
        held: Representation = RangeRow.strong
    ) {
        (testDescription, self.status, self.fields, self.expected) = (name, status, fields, expected)
        (bodyLength, self.held) = (body, held)
    }

    static let rows: [RangeRow] = [
        // RFC 9110 §14.4 and §15.3.7.1: a single part.
        RangeRow("the rest", 206, [tag, "Content-Range: bytes 600-999/1000"], "part 0 400 1000"),
        RangeRow(
            "the rest, with its length", 206, [tag, "Content-Range: bytes 600-999/1000"], "part 0 400 1000", body: 400),
        RangeRow("white space around the value", 206, [tag, "Content-Range:  bytes 600-999/1000 "], "part 0 400 1000"),
        RangeRow("less than the rest", 206, [tag, "Content-Range: bytes 600-700/1000"], "part 0 101 1000"),
        RangeRow("one byte", 206, [tag, "Content-Range: bytes 600-600/1000"], "part 0 1 1000"),
        RangeRow("an unknown complete length", 206, [tag, "Content-Range: bytes 600-999/*"], "part 0 400 1000"),
        RangeRow("a part that starts earlier", 206, [tag, "Content-Range: bytes 599-999/1000"], "elsewhere"),
        RangeRow("a part that starts at 0", 206, [tag, "Content-Range: bytes 0-999/1000"], "elsewhere"),
        RangeRow("a part that starts later", 206, [tag, "Content-Range: bytes 601-999/1000"], "elsewhere"),
        RangeRow("the last bytes", 206, [tag, "Content-Range: bytes 999-999/1000"], "elsewhere"),
        RangeRow("a part beyond the known end", 206, [tag, "Content-Range: bytes 600-1000/*"], "tooLong"),
        RangeRow("a larger complete length", 206, [tag, "Content-Range: bytes 600-999/1001"], "otherLength"),
        RangeRow("a smaller complete length", 206, [tag, "Content-Range: bytes 600-899/900"], "otherLength"),
        RangeRow("no Content-Range", 206, [tag], "noRange"),
        RangeRow("an empty Content-Range", 206, [tag, "Content-Range: "], "malformedRange"),
        RangeRow(
            "two Content-Ranges", 206,
            [tag, "Content-Range: bytes 600-999/1000", "Content-Range: bytes 600-999/1000"], "malformedRange"),
        RangeRow("another unit", 206, [tag, "Content-Range: lines 600-999/1000"], "malformedRange"),
        RangeRow("the form of a request", 206, [tag, "Content-Range: bytes=600-999/1000"], "malformedRange"),
        RangeRow("no complete length", 206, [tag, "Content-Range: bytes 600-999"], "malformedRange"),
        RangeRow("an unsatisfied range", 206, [tag, "Content-Range: bytes */1000"], "malformedRange"),
        RangeRow("an end before the start", 206, [tag, "Content-Range: bytes 600-599/1000"], "malformedRange"),
        RangeRow("an end at the complete length", 206, [tag, "Content-Range: bytes 600-1000/1000"], "malformedRange"),
        RangeRow("a negative number", 206, [tag, "Content-Range: bytes -600-999/1000"], "malformedRange"),
        RangeRow("a number with a sign", 206, [tag, "Content-Range: bytes +600-999/1000"], "malformedRange"),
        RangeRow(
            "a number that overflows", 206, [tag, "Content-Range: bytes 600-99999999999999999999/*"], "malformedRange"),
        RangeRow("the largest number", 206, [tag, "Content-Range: bytes 600-9223372036854775807/*"], "malformedRange"),
        RangeRow("hexadecimal numbers", 206, [tag, "Content-Range: bytes 0x258-999/1000"], "malformedRange"),
        RangeRow("text after the value", 206, [tag, "Content-Range: bytes 600-999/1000x"], "malformedRange"),
        RangeRow(
            "two ranges in one field", 206, [tag, "Content-Range: bytes 600-999/1000, 0-1/1000"], "malformedRange"),
        RangeRow(
            "a shorter Content-Length", 206, [tag, "Content-Range: bytes 600-999/1000"], "contentLength", body: 399),
        RangeRow(
            "a longer Content-Length", 206, [tag, "Content-Range: bytes 600-999/1000"], "contentLength", body: 1000),
        // RFC 9110 §14.6 and §15.3.7.2: several parts.
        RangeRow("multipart/byteranges", 206, [tag, "Content-Type: multipart/byteranges; boundary=x"], "multipart"),
        RangeRow(
            "multipart/byteranges with Content-Range", 206,
            [tag, "Content-Type: Multipart/Byteranges; boundary=x", "Content-Range: bytes 600-999/1000"], "multipart"),
        // RFC 9110 §15.3.7.3, §8.8.1 and §8.8.3.2: one strong validator.
        RangeRow("another tag", 206, ["ETag: \"b\"", "Content-Range: bytes 600-999/1000"], "otherValidator"),
        RangeRow("the same tag, weak", 206, ["ETag: W/\"a\"", "Content-Range: bytes 600-999/1000"], "otherValidator"),
        RangeRow(
            "the tag in another case", 206, ["ETag: \"A\"", "Content-Range: bytes 600-999/1000"], "otherValidator"),
        RangeRow("the tag without quotes", 206, ["ETag: a", "Content-Range: bytes 600-999/1000"], "otherValidator"),
        RangeRow("two tags", 206, [tag, tag, "Content-Range: bytes 600-999/1000"], "otherValidator"),
        RangeRow("no validator", 206, ["Content-Range: bytes 600-999/1000"], "noValidator"),
        RangeRow(
            "a date in place of the tag", 206,
            ["Last-Modified: Sun, 06 Nov 1994 08:49:37 GMT", "Content-Range: bytes 600-999/1000"], "otherValidator"),
        RangeRow(
            "the same date", 206,
            ["Last-Modified: Sun, 06 Nov 1994 08:49:37 GMT", "Content-Range: bytes 600-999/1000"], "part 0 400 1000",
            held: dated),
        RangeRow(
            "the same date in another format", 206,
            ["Last-Modified: Sunday, 06-Nov-94 08:49:37 GMT", "Content-Range: bytes 600-999/1000"], "part 0 400 1000",
            held: dated),
        RangeRow(
            "a later date", 206,
            ["Last-Modified: Sun, 06 Nov 1994 08:49:38 GMT", "Content-Range: bytes 600-999/1000"], "otherValidator",
            held: dated),
        RangeRow(
            "an earlier date", 206,
            ["Last-Modified: Sun, 06 Nov 1994 08:49:36 GMT", "Content-Range: bytes 600-999/1000"], "otherValidator",
            held: dated),
        RangeRow(
            "the same date, and a tag that was not there", 206,
            [tag, "Last-Modified: Sun, 06 Nov 1994 08:49:37 GMT", "Content-Range: bytes 600-999/1000"],
            "otherValidator", held: dated),
        RangeRow(
            "the weak tag of bytes that are compared", 206, ["ETag: W/\"a\"", "Content-Range: bytes 590-999/1000"],
            "part 10 410 1000", held: weak),
        RangeRow(
            "another weak tag for bytes that are compared", 206,
            ["ETag: W/\"b\"", "Content-Range: bytes 590-999/1000"], "otherValidator", held: weak),
        // RFC 9110 §8.4: ranges count the coded bytes.
        RangeRow(
            "another coding", 206, [tag, "Content-Encoding: gzip", "Content-Range: bytes 600-999/1000"], "otherCoding"),
        RangeRow(
            "a coding that a part need not repeat", 206, [tag, "Content-Range: bytes 600-999/1000"], "part 0 400 1000",
            held: coded),
        RangeRow(
            "identity where there was a coding", 206,
            [tag, "Content-Encoding: identity", "Content-Range: bytes 600-999/1000"], "otherCoding", held: coded),
        RangeRow("the unit in capitals", 206, [tag, "Content-Range: Bytes 600-999/1000"], "part 0 400 1000"),
        RangeRow(
            "the same coding", 206, [tag, "Content-Encoding: GZIP", "Content-Range: bytes 600-999/1000"],
            "part 0 400 1000", held: coded),
        RangeRow(
            "identity is no coding", 206, [tag, "Content-Encoding: identity", "Content-Range: bytes 600-999/1000"],
            "part 0 400 1000"),
        // An unknown length is learned from the part; its last byte is requested again.
        RangeRow(
            "the rest of an unknown length", 206, [tag, "Content-Range: bytes 599-999/1000"], "part 1 401 1000",
            held: unknownLength),
        RangeRow(
            "all bytes were there", 206, [tag, "Content-Range: bytes 599-599/600"], "part 1 1 600", held: unknownLength),
        RangeRow(
            "nothing new, and no length", 206, [tag, "Content-Range: bytes 599-599/*"], "tooShort", held: unknownLength),
        // RFC 9110 §13.1.5 and §14.2: the condition is false, or ranges are ignored.
        RangeRow("the whole", 200, [tag], "whole \"a\"", body: 1000),
        RangeRow("another whole", 200, ["ETag: \"b\""], "whole \"b\"", body: 10),
        RangeRow(
            "a part with the status of the whole", 200, [tag, "Content-Range: bytes 600-999/1000"], "contradiction"),
        RangeRow(
            "a part of another version as the whole", 200, ["ETag: \"b\"", "Content-Range: bytes 0-99/1000"],
            "contradiction"),
        RangeRow(
            "a part of another length than its range", 200, [tag, "Content-Range: bytes 0-999/1000"], "contradiction",
            body: 400),
        RangeRow("a changed part", 203, [tag, "Content-Range: bytes 600-999/*"], "contradiction"),
        RangeRow(
            "a whole with its range", 200, [tag, "Content-Range: bytes 0-999/1000"], "whole \"a\"", body: 1000),
        RangeRow("a whole with a malformed range", 200, [tag, "Content-Range: bytes 600"], "whole \"a\""),
        RangeRow("a whole of another length, with the same tag", 200, [tag], "otherLength", body: 400),
        RangeRow("a whole without a validator", 200, [], "whole -"),
        RangeRow("a whole that a proxy has changed", 203, [tag], "whole -"),
        // RFC 9110 §15.4.5, §15.5.13 and §15.5.17.
        RangeRow("304", 304, [tag], "precondition"),
        RangeRow("412", 412, [tag], "precondition"),
        RangeRow("416", 416, ["Content-Range: bytes */500"], "unsatisfiable"),
        RangeRow("416 with the known length", 416, [tag, "Content-Range: bytes */1000"], "unsatisfiable"),
        RangeRow("416 without a range", 416, [], "unsatisfiable"),
        // Not about the representation.
        RangeRow("204", 204, [tag], "other"),
        RangeRow("301", 301, ["Location: /"], "other"),
        RangeRow("401", 401, [], "other"),
        RangeRow("404", 404, [], "other"),
        RangeRow("503", 503, [], "other"),
        RangeRow("226", 226, [tag, "Content-Range: bytes 600-999/1000"], "other"),
    ]
}

struct RangePolicyTests {
    @Test(arguments: RangeRow.rows)
    func `a response is used as RFC 9110 allows`(row: RangeRow) throws {
        let policy = RangePolicy(row.held, next: 600, overlap: 10)
        let request = try #require(policy.request)

        let decision = policy.decision(
            on: ResponseHead(status: row.status, fields: fields(row.fields)), to: request, bodyLength: row.bodyLength)

        #expect(text(decision) == row.expected)
    }

    @Test(
        arguments: [
            // The representation, the bytes that are there, the end, and the request.
            (RangeRow.strong, 600, nil, "bytes=600- \"a\" 0"), (RangeRow.strong, 0, nil, "bytes=0- \"a\" 0"),
            (RangeRow.strong, 1000, nil, "bytes=999- \"a\" 1"), (RangeRow.strong, 1001, nil, "-"),
            (RangeRow.strong, 600, 700, "bytes=600-699 \"a\" 0"),
            (RangeRow.unknownLength, 600, nil, "bytes=599- \"a\" 1"),
            (RangeRow.unknownLength, 0, nil, "bytes=0- \"a\" 0"),
            (RangeRow.dated, 600, nil, "bytes=600- Sun, 06 Nov 1994 08:49:37 GMT 0"),
            (RangeRow.weak, 600, nil, "bytes=590- - 10"), (RangeRow.weak, 4, nil, "bytes=0- - 4"),
            (RangeRow.weak, 0, nil, "-"),
        ] as [(Representation, Int, Int?, String)])
    func `the missing bytes are requested under the strong validator`(
        held: Representation, next: Int, end: Int?, expected: String
    ) {
        let request = RangePolicy(held, next: next, end: end, overlap: 10).request

        var fields = Fields()
        request?.set(in: &fields)
        let shown = request.map { "\(fields[.range] ?? "-") \(fields[.ifRange] ?? "-") \($0.repeated)" }
        #expect((shown ?? "-") == expected)
    }

    @Test func `bytes without a strong validator are not continued unless the caller asks for it`() {
        #expect(RangePolicy(RangeRow.weak, next: 600).request == nil)
    }

    @Test(
        arguments: [
            ("the tag", ["ETag: \"a\""], "\"a\""), ("an empty tag", ["ETag: \"\""], "\"\""),
            ("a weak tag", ["ETag: W/\"a\""], nil), ("a tag without quotes", ["ETag: a"], nil),
            ("a tag with a quote", ["ETag: \"a\"b\""], nil), ("two tags", ["ETag: \"a\"", "ETag: \"a\""], nil),
            (
                "a date of a minute ago",
                ["Last-Modified: Sun, 06 Nov 1994 08:49:37 GMT", "Date: Sun, 06 Nov 1994 08:50:37 GMT"],
                "Sun, 06 Nov 1994 08:49:37 GMT"
            ),
            (
                "a fresh date",
                ["Last-Modified: Sun, 06 Nov 1994 08:49:37 GMT", "Date: Sun, 06 Nov 1994 08:50:36 GMT"],
                nil
            ),
            (
                "a future date",
                ["Last-Modified: Sun, 06 Nov 1994 08:49:37 GMT", "Date: Sun, 06 Nov 1994 08:00:00 GMT"], nil
            ),
            ("a date without the server's clock", ["Last-Modified: Sun, 06 Nov 1994 08:49:37 GMT"], nil),
            ("a malformed date", ["Last-Modified: yesterday", "Date: Sun, 06 Nov 1994 08:50:37 GMT"], nil),
            (
                "a weak tag beside an old date",
                [
                    "ETag: W/\"a\"", "Last-Modified: Sun, 06 Nov 1994 08:49:37 GMT",
                    "Date: Mon, 07 Nov 1994 08:50:37 GMT",
                ], nil
            ),
        ] as [(String, [String], String?)])
    func `only strong validators count`(name: String, lines: [String], expected: String?) {
        #expect(StrongValidator(fields(lines))?.text == expected)
    }

    @Test(arguments: [("none", false), (" none ", false), ("bytes", true), ("nonesuch", true)])
    func `a server that accepts no ranges is not asked for one`(value: String, isAsked: Bool) {
        let held = Representation(
            status: 200, fields: fields(["ETag: \"a\"", "Accept-Ranges: \(value)"]), length: 1000)

        #expect((RangePolicy(held, next: 1).request != nil) == isAsked)
    }

    private func fields(_ lines: [String]) -> Fields {
        var fields = Fields()
        for line in lines {
            let parts = line.split(separator: ":", maxSplits: 1)
            fields.append(FieldName(String(parts[0])), String(parts[1].dropFirst()))
        }
        return fields
    }

    private func text(_ decision: RangeDecision) -> String {
        switch decision {
        case .part(let part): "part \(part.repeated) \(part.count) \(part.complete.map { "\($0)" } ?? "*")"
        case .whole(let whole): "whole \(whole.validator?.text ?? "-")"
        case .refused(let refusal): refusal.rawValue
        case .other: "other"
        }
    }
}
