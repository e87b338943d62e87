import PlugboardMessages

/// A point in time as HTTP fields write it (RFC 9110 §5.6.7), in whole seconds.
public struct HTTPDate: Sendable, Hashable, Comparable, CustomStringConvertible {
    /// Seconds since 1970-01-01 00:00 UTC.
    public var seconds: Int64

    /// The time this many seconds after 1970-01-01 00:00 UTC.
    public init(seconds: Int64) { self.seconds = seconds }

    /// The time this long after 1970-01-01 00:00 UTC, as `PluginHost.wallClock` gives it; fractions of a second are
    /// dropped.
    public init(_ sinceEpoch: Duration) {
        let (seconds, attoseconds) = sinceEpoch.components
        self.seconds = attoseconds < 0 ? seconds - 1 : seconds
    }

    /// Reads the three formats that a recipient must accept: `Sun, 06 Nov 1994 08:49:37 GMT`, and the obsolete `Sunday,
    /// 06-Nov-94 08:49:37 GMT` and `Sun Nov  6 08:49:37 1994`. Letters may be in any case, and the name of the day may
    /// be wrong; any other difference is refused.
    ///
    /// - Parameter now: The time that decides the century of years with two digits: a year that would be more than 50
    ///   years in the future is in the past.
    public init?(_ text: UnsafeRawBufferPointer, now: HTTPDate) {
        if let date = HTTPDate(preferred: text) {
            self = date
            return
        }
        var reader = DateReader(rest: text[...])
        guard let date = reader.read(now: now) else { return nil }
        self = date
    }

    /// Reads `Sun, 06 Nov 1994 08:49:37 GMT`, the format of nearly all dates, at fixed offsets.
    private init?(preferred text: UnsafeRawBufferPointer) {
        guard text.count == 29, HTTPDate.weekdayWords.contains(word(text, 0)), word(text, 26) == HTTPDate.zoneWord,
            let month = HTTPDate.monthWords.firstIndex(of: word(text, 8)),
            text[3] == UInt8(ascii: ","), text[19] == UInt8(ascii: ":"), text[22] == UInt8(ascii: ":")
        else { return nil }
        let blanks = text[4] & text[7] & text[11] & text[16] & text[25]
        guard blanks == 0x20, (text[4] | text[7] | text[11] | text[16] | text[25]) == 0x20 else { return nil }
        guard let day = twoDigits(text, 5), let century = twoDigits(text, 12), let year = twoDigits(text, 14),
            let hour = twoDigits(text, 17), let minute = twoDigits(text, 20), let second = twoDigits(text, 23)
        else { return nil }
        self.init(
            year: century * 100 + year, month: month + 1, day: day, hour: hour, minute: minute, second: second)
    }

    private static let zoneWord = packed("GMT")
    private static let weekdayWords = weekdays.map { packed($0) }
    private static let monthWords = months.map { packed($0) }

    /// Reads a text like `init(_:now:)` reads bytes.
    public init?(_ text: String, now: HTTPDate) {
        var text = text
        guard let date = text.withUTF8({ HTTPDate(UnsafeRawBufferPointer($0), now: now) }) else { return nil }
        self = date
    }

    /// A time in UTC. Nil for a day or a time that does not exist; a leap second (60) is the first second of the next
    /// minute.
    public init?(year: Int, month: Int, day: Int, hour: Int, minute: Int, second: Int) {
        guard (1...12).contains(month), day >= 1, day <= HTTPDate.days(inMonth: month, of: year),
            (0...23).contains(hour), (0...59).contains(minute), (0...60).contains(second), (0...9999).contains(year)
        else { return nil }
        let days = HTTPDate.days(toYear: year, month: month) + day - 1
        seconds = Int64(days) * 86_400 + Int64(hour * 3600 + minute * 60 + second)
    }

    /// `Sun, 06 Nov 1994 08:49:37 GMT`. A time before year 0 or after year 9999 becomes the first or last that can be
    /// written.
    public var description: String {
        let (days, time) = daysAndTime
        let (year, month, day) = HTTPDate.civil(days: days)
        let weekday = HTTPDate.weekdays[((days + 4) % 7 + 7) % 7]
        return String(unsafeUninitializedCapacity: 29) { text in
            var count = 0
            func put(_ word: String) {
                for byte in word.utf8 {
                    text[count] = byte
                    count += 1
                }
            }
            func put(_ number: Int, digits: Int, _ word: String) {
                var rest = number
                for place in (count..<count + digits).reversed() {
                    text[place] = 0x30 + UInt8(rest % 10)
                    rest /= 10
                }
                count += digits
                put(word)
            }
            put(weekday)
            put(", ")
            put(day, digits: 2, " ")
            put(HTTPDate.months[month - 1])
            put(" ")
            put(year, digits: 4, " ")
            put(time / 3600, digits: 2, ":")
            put(time / 60 % 60, digits: 2, ":")
            put(time % 60, digits: 2, " GMT")
            return count
        }
    }

    /// `1994-11-06T08:49:37Z` (RFC 3339 §5.6), within the same years.
    public var internetDescription: String {
        let (days, time) = daysAndTime
        let (year, month, day) = HTTPDate.civil(days: days)
        func digits(_ number: Int, _ count: Int = 2) -> String {
            let text = "\(number)"
            return String(repeating: "0", count: count - text.utf8.count) + text
        }
        return "\(digits(year, 4))-\(digits(month))-\(digits(day))"
            + "T\(digits(time / 3600)):\(digits(time / 60 % 60)):\(digits(time % 60))Z"
    }

    /// The days since 1970, and the seconds of the last day.
    private var daysAndTime: (days: Int, time: Int) {
        let seconds = min(max(self.seconds, HTTPDate.first), HTTPDate.last)
        let days = Int(seconds >= 0 ? seconds / 86_400 : (seconds - 86_399) / 86_400)
        return (days, Int(seconds - Int64(days) * 86_400))
    }

    /// Compares points in time.
    public static func < (left: HTTPDate, right: HTTPDate) -> Bool { left.seconds < right.seconds }

    static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
    static let weekdays = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
    static let longWeekdays = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"]

    private static let first: Int64 = -62_167_219_200
    private static let last: Int64 = 253_402_300_799

    private static func days(inMonth month: Int, of year: Int) -> Int {
        switch month {
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

    /// Days from 1970-01-01 to the first of a month. Years are counted from March, so that the leap day is their last.
    private static func days(toYear year: Int, month: Int) -> Int {
        let year = month <= 2 ? year - 1 : year
        let months = (month + 9) % 12
        let leaps = floor(year, 4) - floor(year, 100) + floor(year, 400)
        return year * 365 + leaps + (months * 153 + 2) / 5 - 719_468
    }

    private static func civil(days: Int) -> (year: Int, month: Int, day: Int) {
        // In periods of 400 years, which have 146,097 days each and begin on 1 March.
        let shifted = days + 719_468
        let era = floor(shifted, 146_097)
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100)
        let months = (dayOfYear * 5 + 2) / 153
        let month = months < 10 ? months + 3 : months - 9
        return (era * 400 + yearOfEra + (month <= 2 ? 1 : 0), month, dayOfYear - (months * 153 + 2) / 5 + 1)
    }

    private static func floor(_ value: Int, _ divisor: Int) -> Int {
        value >= 0 ? value / divisor : (value - divisor + 1) / divisor
    }
}

/// Three letters as a number, in any case.
private func word(_ text: UnsafeRawBufferPointer, _ place: Int) -> UInt32 {
    UInt32(text[place] | 0x20) << 16 | UInt32(text[place + 1] | 0x20) << 8 | UInt32(text[place + 2] | 0x20)
}

private func packed(_ text: String) -> UInt32 { text.utf8.reduce(0) { $0 << 8 | UInt32($1 | 0x20) } }

private func twoDigits(_ text: UnsafeRawBufferPointer, _ place: Int) -> Int? {
    let (tens, ones) = (text[place] &- 0x30, text[place + 1] &- 0x30)
    return tens < 10 && ones < 10 ? Int(tens) * 10 + Int(ones) : nil
}

/// Reads a date byte by byte.
private struct DateReader {
    var rest: Slice<UnsafeRawBufferPointer>

    mutating func read(now: HTTPDate) -> HTTPDate? {
        guard let name = word() else { return nil }
        if take(", ") {
            guard HTTPDate.weekdays.contains(where: { matches($0, name) }) else { return long(name, now) }
            guard let day = digits(2), take(" "), let month = month(), take(" "), let year = digits(4), take(" ") else {
                return nil
            }
            return time(year, month, day) { $0.take(" gmt") }
        }
        // `Sun Nov  6 08:49:37 1994`
        guard HTTPDate.weekdays.contains(where: { matches($0, name) }), take(" "), let month = month(), take(" "),
            let day = take(" ") ? digits(1) : digits(2), take(" "), let time = clock(), take(" "),
            let year = digits(4), rest.isEmpty
        else { return nil }
        return HTTPDate(year: year, month: month, day: day, hour: time.0, minute: time.1, second: time.2)
    }

    /// Reads the rest of `Sunday, 06-Nov-94 08:49:37 GMT`, whose year has two digits.
    private mutating func long(_ name: Slice<UnsafeRawBufferPointer>, _ now: HTTPDate) -> HTTPDate? {
        guard HTTPDate.longWeekdays.contains(where: { matches($0, name) }), let day = digits(2), take("-"),
            let month = month(), take("-"), let short = digits(2), take(" ")
        else { return nil }
        let thisYear = Int(now.description.dropFirst(12).prefix(4)) ?? 1970
        var year = thisYear - thisYear % 100 + short
        if year > thisYear + 50 { year -= 100 }
        return time(year, month, day) { $0.take(" gmt") }
    }

    private mutating func time(
        _ year: Int, _ month: Int, _ day: Int, _ ending: (inout DateReader) -> Bool
    ) -> HTTPDate? {
        guard let time = clock(), ending(&self), rest.isEmpty else { return nil }
        return HTTPDate(year: year, month: month, day: day, hour: time.0, minute: time.1, second: time.2)
    }

    private mutating func clock() -> (Int, Int, Int)? {
        guard let hour = digits(2), take(":"), let minute = digits(2), take(":"), let second = digits(2) else {
            return nil
        }
        return (hour, minute, second)
    }

    private mutating func month() -> Int? {
        guard let name = word() else { return nil }
        return HTTPDate.months.firstIndex { matches($0, name) }.map { $0 + 1 }
    }

    private mutating func word() -> Slice<UnsafeRawBufferPointer>? {
        let word = rest.prefix { (0x61...0x7A).contains($0 | 0x20) }
        rest = rest[word.endIndex...]
        return word.isEmpty ? nil : word
    }

    private mutating func digits(_ count: Int) -> Int? {
        let digits = rest.prefix(count)
        guard digits.count == count, digits.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        rest = rest[digits.endIndex...]
        return digits.reduce(0) { $0 * 10 + Int($1 - 0x30) }
    }

    private mutating func take(_ text: StaticString) -> Bool {
        let expected = UnsafeRawBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount)
        guard rest.count >= expected.count, zip(rest, expected).allSatisfy({ lowercased($0) == lowercased($1) }) else {
            return false
        }
        rest = rest.dropFirst(expected.count)
        return true
    }

    private func matches(_ name: String, _ bytes: Slice<UnsafeRawBufferPointer>) -> Bool {
        name.utf8.count == bytes.count && zip(name.utf8, bytes).allSatisfy { lowercased($0) == lowercased($1) }
    }
}
