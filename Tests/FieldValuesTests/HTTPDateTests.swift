import PlugboardFieldValues
import TestSupport
import Testing

@Suite struct HTTPDateTests {
    private static let now = HTTPDate(seconds: 1_800_000_000)

    @Test(arguments: [
        "Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994",
        "sUN, 06 nOV 1994 08:49:37 gmt", "Mon, 06 Nov 1994 08:49:37 GMT",
    ])
    func `each of the three formats is read`(text: String) {
        #expect(HTTPDate(text, now: Self.now)?.seconds == 784_111_777)
    }

    @Test(arguments: [
        "", "Sun", "Sun 06 Nov 1994 08:49:37 GMT", "Sun, 6 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 94 08:49:37 GMT",
        "Sun, 06  Nov 1994 08:49:37 GMT", "Sun, 06-Nov-1994 08:49:37 GMT", "Sun, 06 Nov 1994 8:49:37 GMT",
        "Sun, 06 Nov 1994 08.49.37 GMT", "Sun, 06 Nov 1994 08:49:37 UTC", "Sun, 06 Nov 1994 08:49:37",
        "Sun, 06 Nov 1994 08:49:37 GMT ", "Sun, 31 Feb 1994 08:49:37 GMT", "Sun, 06 Nov 1994 24:49:37 GMT",
        "Xxx, 06 Nov 1994 08:49:37 GMT", "0", "-1", "Sun, 06 Nov 1994 08:49:61 GMT", "Sun, 00 Nov 1994 08:49:37 GMT",
    ])
    func `a text in any other format is not a date`(text: String) {
        #expect(HTTPDate(text, now: Self.now) == nil)
    }

    @Test(arguments: [
        (784_111_777, "1994-11-06T08:49:37Z"), (0, "1970-01-01T00:00:00Z"), (-1, "1969-12-31T23:59:59Z"),
        (951_782_400, "2000-02-29T00:00:00Z"), (Int64.max, "9999-12-31T23:59:59Z"), (.min, "0000-01-01T00:00:00Z"),
    ])
    func `a date is written by RFC 3339 too`(seconds: Int64, text: String) {
        #expect(HTTPDate(seconds: seconds).internetDescription == text)
    }

    @Test func `a year of two digits is never more than fifty years ahead`() {
        #expect(HTTPDate("Sunday, 06-Nov-76 08:49:37 GMT", now: Self.now)?.description.contains("2076") == true)
        #expect(HTTPDate("Sunday, 06-Nov-78 08:49:37 GMT", now: Self.now)?.description.contains("1978") == true)
    }

    @Test(arguments: [
        (0, "Thu, 01 Jan 1970 00:00:00 GMT"), (-1, "Wed, 31 Dec 1969 23:59:59 GMT"),
        (951_782_400, "Tue, 29 Feb 2000 00:00:00 GMT"), (4_107_542_400, "Mon, 01 Mar 2100 00:00:00 GMT"),
        (253_402_300_799, "Fri, 31 Dec 9999 23:59:59 GMT"), (-62_167_219_200, "Sat, 01 Jan 0000 00:00:00 GMT"),
    ])
    func `a date is written and read back`(seconds: Int64, text: String) {
        #expect(HTTPDate(seconds: seconds).description == text)
        #expect(HTTPDate(text, now: Self.now)?.seconds == seconds)
    }

    @Test(arguments: nastyShapes.indices)
    func `a date is read in linear time`(shape: Int) {
        let (name, make) = nastyShapes[shape]
        expectLinearTime(name, size: 4000, input: make) { text in _ = HTTPDate(text, now: Self.now) }
    }

    @Test(arguments: [Int64.min, .max])
    func `a time before year 0 or after year 9999 is written as the first or last one possible`(seconds: Int64) {
        #expect(HTTPDate(HTTPDate(seconds: seconds).description, now: Self.now) != nil)
    }

    @Test func `a part of a second is dropped, before 1970 too`() {
        #expect(HTTPDate(.milliseconds(1999)).seconds == 1)
        #expect(HTTPDate(.milliseconds(-1)).seconds == -1)
    }
}
