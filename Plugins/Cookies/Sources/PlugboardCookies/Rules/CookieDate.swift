import PlugboardKit

/// The date of an `Expires` attribute, parsed as RFC 6265bis §5.1.1 requires: the parts may have any order and almost
/// any delimiters.
struct CookieDate: Equatable, Sendable {
    /// Seconds since 1970-01-01 00:00 UTC.
    let seconds: Int64

    init?(_ text: some Collection<UInt8>) {
        var parts = Parts()
        for token in text.split(whereSeparator: CookieDate.isDelimiter) { parts.take(Array(token.prefix(9))) }
        guard let date = parts.date else { return nil }
        seconds = date.seconds
    }

    /// The date in the format of HTTP fields (RFC 9110 §5.6.7).
    var text: String { HTTPDate(seconds: seconds).description }

    private static func isDelimiter(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x09, 0x20...0x2F, 0x3B...0x40, 0x5B...0x60, 0x7B...0x7E: true
        default: false
        }
    }

    /// The parts found so far; for each part the first token that matches counts.
    private struct Parts {
        private var time: [Int]?
        private var day: Int?
        private var month: Int?
        private var year: Int?

        /// Nine bytes of a token are enough: `12:34:56`, and the byte after it.
        mutating func take(_ token: [UInt8]) {
            if time == nil, let time = Parts.time(token) {
                self.time = time
            } else if day == nil, let day = Parts.number(token, digits: 1...2) {
                self.day = day
            } else if month == nil, let month = Parts.month(token) {
                self.month = month
            } else if year == nil, let year = Parts.number(token, digits: 2...4) {
                self.year = year < 70 ? year + 2000 : year < 100 ? year + 1900 : year
            }
        }

        /// Nil if a part is missing, or for a day or time that does not exist.
        var date: HTTPDate? {
            guard let time, let day, let month, let year, year >= 1601, time[2] <= 59 else { return nil }
            return HTTPDate(year: year, month: month, day: day, hour: time[0], minute: time[1], second: time[2])
        }

        /// `hms-time`: three fields of one or two digits; the next byte must not be a digit.
        private static func time(_ token: [UInt8]) -> [Int]? {
            let fields = token.split(
                separator: UInt8(ascii: ":"), maxSplits: 2, omittingEmptySubsequences: false)
            guard fields.count == 3, let second = number(Array(fields[2]), digits: 1...2) else { return nil }
            let whole = fields.prefix(2).map { field in
                field.allSatisfy(isDigit) ? number(Array(field), digits: 1...2) : nil
            }
            guard let hour = whole[0], let minute = whole[1] else { return nil }
            return [hour, minute, second]
        }

        /// A number with that many digits; the next byte must not be a digit.
        private static func number(_ token: [UInt8], digits: ClosedRange<Int>) -> Int? {
            let number = token.prefix(while: isDigit)
            guard digits.contains(number.count) else { return nil }
            return number.reduce(0) { $0 * 10 + Int($1 & 0x0F) }
        }

        private static func month(_ token: [UInt8]) -> Int? {
            let name = token.prefix(3).map(lowercaseASCII)
            return months.firstIndex { $0.elementsEqual(name) }.map { $0 + 1 }
        }

        private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }

        private static let months = [
            "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
        ].map { Array($0.utf8) }
    }
}
