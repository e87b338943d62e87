import PlugboardKit
import Testing

@testable import PlugboardCache

/// RFC 9111 §4.2.3 and §5.1: how old a response is.
struct AgeRows {
    @Test(arguments: rows) func `the age follows from the fields and the clock`(row: Row) { row.run() }

    private static func fresh(with ages: String...) -> Visit {
        var response: Fields = ["Date": "@0", "Cache-Control": "max-age=3600"]
        for age in ages { response.append(.age, age) }
        return stored(response)
    }

    static let rows = [
        Row("§5.1 a fraction is ignored", fresh(with: "7200.0"), again),
        Row("§5.1 a negative number is ignored", fresh(with: "-7200"), again),
        Row("§5.1 letters are ignored", fresh(with: "abc"), again),
        Row("§5.1 digits and letters are ignored", fresh(with: "7200a"), again),
        Row("§5.1 a value with a parameter is ignored", fresh(with: "7200;foo=bar"), again),
        Row("§5.1 a value with a numeric parameter is ignored", fresh(with: "7200;foo=111"), again),
        Row("§5.1 a quoted value is ignored", fresh(with: "\"7200\""), again),
        Row("§5.1 an empty value is ignored", fresh(with: ""), again),
        Row("§1.2.2 2^31-1", fresh(with: "2147483647"), fetched),
        Row("§1.2.2 2^31", fresh(with: "2147483648"), fetched),
        Row("§1.2.2 a number beyond 64 bits", fresh(with: "99999999999999999999"), fetched),
        Row("§5.1 the first of a list counts, old", fresh(with: "7200, 0"), fetched),
        Row("§5.1 the first of a list counts, new", fresh(with: "0, 7200"), again),
        Row("§5.1 the first line counts, old", fresh(with: "7200", "0"), fetched),
        Row("§5.1 the first line counts, new", fresh(with: "0", "7200"), again),
        Row("§5.1 a list of equal values", fresh(with: "0, 0"), again),
        Row("§5.1 a malformed first line hides the others", fresh(with: "abc", "7200"), again),

        Row(
            "§5.1 a response from the store has its age", stored(["Cache-Control": "max-age=3600"], pause: 3),
            Visit(expects: .cached, gives: ["Age": "3"])),
        Row(
            "§4.2.3 the age on arrival counts", stored(["Cache-Control": "max-age=3600", "Age": "30"], pause: 3),
            Visit(expects: .cached, gives: ["Age": "33"])),
        Row(
            "§4.2.3 the age on arrival counts with Expires",
            stored(["Expires": "@1000", "Date": "@0", "Age": "30"], pause: 3),
            Visit(expects: .cached, gives: ["Age": "33"])),
        Row(
            "§4.2.3 the apparent age counts", stored(["Cache-Control": "max-age=3600", "Date": "@-60"], pause: 3),
            Visit(expects: .cached, gives: ["Age": "63"])),
        Row(
            "§4.2.3 the delay of the response counts",
            Visit(response: ["Cache-Control": "max-age=10"], delay: 5, expects: .notCached, pause: 3),
            Visit(expects: .cached, gives: ["Age": "8"], pause: 3), fetched),
        Row(
            "§4.2.3 a Date in the future gives no negative age",
            stored(["Cache-Control": "max-age=3600", "Date": "@600"], pause: 3),
            Visit(expects: .cached, gives: ["Age": "3"])),
        Row(
            "§4.2.3 a malformed Date is ignored",
            stored(["Cache-Control": "max-age=3600", "Date": "yesterday"], pause: 3),
            Visit(expects: .cached, gives: ["Age": "3"])),
        Row(
            "§6.6.1 of RFC 9110: a missing Date is the time of arrival",
            stored(["Cache-Control": "max-age=3600"], pause: 3),
            Visit(expects: .cached, gives: ["Date": "Tue, 14 Nov 2023 22:13:20 GMT"])),
        Row(
            "§4.2.3 a Date is served unchanged", stored(["Cache-Control": "max-age=3600", "Date": "@-5"], pause: 3),
            Visit(expects: .cached, gives: ["Date": "Tue, 14 Nov 2023 22:13:15 GMT"])),
        Row(
            "§4.2.3 a clock that is set back gives no negative age",
            stored(["Cache-Control": "max-age=3600"], pause: -30),
            Visit(expects: .cached, gives: ["Age": "0"])),
        Row(
            "§4.2.3 a response from the future is stale", stored(["Cache-Control": "max-age=3600"], pause: -300),
            fetched),
    ]
}
