import Testing

@testable import PlugboardCookies

/// RFC 6265bis §5.1.1.
struct CookieDateTests {
    @Test(
        arguments: [
            ("Mon, 10 Dec 2007 17:02:24 GMT", "Mon, 10 Dec 2007 17:02:24 GMT"),
            ("Monday, 10-Dec-07 17:02:24 GMT", "Mon, 10 Dec 2007 17:02:24 GMT"),
            ("Mon Dec 10 17:02:24 2007", "Mon, 10 Dec 2007 17:02:24 GMT"),
            // Any order, almost any delimiters, and ignored time zones.
            ("17:02:24 2007 december 10 PST", "Mon, 10 Dec 2007 17:02:24 GMT"),
            ("\t10/dec/2007;17:02:24", "Mon, 10 Dec 2007 17:02:24 GMT"),
            ("10 Dec 2007 17:02:24 GMT+0100", "Mon, 10 Dec 2007 17:02:24 GMT"),
            // The bytes after a part are ignored, except digits.
            ("10th decx 2007y 17:02:24z", "Mon, 10 Dec 2007 17:02:24 GMT"),
            ("1 jan 2000 1:2:3", "Sat, 01 Jan 2000 01:02:03 GMT"),
            // Years of two digits.
            ("1 Jan 70 00:00:00", "Thu, 01 Jan 1970 00:00:00 GMT"),
            ("1 Jan 99 00:00:00", "Fri, 01 Jan 1999 00:00:00 GMT"),
            ("1 Jan 00 00:00:00", "Sat, 01 Jan 2000 00:00:00 GMT"),
            ("1 Jan 69 00:00:00", "Tue, 01 Jan 2069 00:00:00 GMT"),
            ("1 Jan 1601 00:00:00", "Mon, 01 Jan 1601 00:00:00 GMT"),
            ("29 Feb 2000 23:59:59", "Tue, 29 Feb 2000 23:59:59 GMT"),
            ("31 Dec 9999 23:59:59", "Fri, 31 Dec 9999 23:59:59 GMT"),
            // The first token that matches a part counts: of 07 and 09 the first is the day.
            ("07 09 Aug 08:04:19", "Fri, 07 Aug 2009 08:04:19 GMT"),
        ] as [(String, String)])
    func `dates in unusual formats are parsed`(text: String, date: String) {
        #expect(CookieDate(text.utf8)?.text == date)
    }

    @Test(
        arguments: [
            "", "x", "10 Dec 2007", "Dec 2007 17:02:24", "10 2007 17:02:24", "10 Dec 17:02:24",
            // Out of range, or impossible.
            "32 Jan 2000 00:00:00", "0 Jan 2000 00:00:00", "1 Jan 1600 00:00:00", "1 Jan 2000 24:00:00",
            "1 Jan 2000 00:60:00", "1 Jan 2000 00:00:60", "30 Feb 2000 00:00:00", "29 Feb 1900 00:00:00",
            "31 Apr 2000 00:00:00",
            // Too many or too few digits.
            "100 Jan 2000 00:00:00", "1 Jan 20000 00:00:00", "1 Jan 2 00:00:00", "1 Jan 2000 000:00:00",
            "1 Jan 2000 00:00:000", "1 Jan 2000 00:00", "1 Jan 2000 0:0:", "1 Jan 2000 00 00 00",
            "1 Ja 2000 00:00:00", "1 Fooember 2000 00:00:00",
        ])
    func `a date with a missing part or an impossible day is refused`(text: String) {
        #expect(CookieDate(text.utf8) == nil)
    }
}
