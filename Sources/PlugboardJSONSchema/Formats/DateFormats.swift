/// Dates and times (RFC 3339 §5.6, appendix A).
enum DateFormats {
    static func isDate(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
        var cursor = ByteCursor(text)
        return date(&cursor) && cursor.isAtEnd
    }

    static func isTime(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
        var cursor = ByteCursor(text)
        return time(&cursor) && cursor.isAtEnd
    }

    static func isDateTime(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
        var cursor = ByteCursor(text)
        return date(&cursor) && (cursor.take("T") || cursor.take("t")) && time(&cursor) && cursor.isAtEnd
    }

    private static func date(_ cursor: inout ByteCursor) -> Bool {
        guard let year = cursor.number(4), cursor.take("-"), let month = cursor.number(2), cursor.take("-"),
            let day = cursor.number(2)
        else { return false }
        let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
        switch month {
        case 2: return day >= 1 && day <= (isLeap ? 29 : 28)
        case 4, 6, 9, 11: return day >= 1 && day <= 30
        case 1...12: return day >= 1 && day <= 31
        default: return false
        }
    }

    private static func time(_ cursor: inout ByteCursor) -> Bool {
        guard let hour = cursor.number(2), hour <= 23, cursor.take(":"), let minute = cursor.number(2), minute <= 59,
            cursor.take(":"), let second = cursor.number(2), second <= 60
        else { return false }
        if cursor.take(".") {
            let start = cursor.position
            while let next = cursor.next, next.isDigit { cursor.position += 1 }
            guard cursor.position > start else { return false }
        }
        var offset = 0
        if !cursor.take("Z") && !cursor.take("z") {
            let isMinus = cursor.take("-")
            guard isMinus || cursor.take("+"), let hours = cursor.number(2), hours <= 23, cursor.take(":"),
                let minutes = cursor.number(2), minutes <= 59
            else { return false }
            offset = (hours * 60 + minutes) * (isMinus ? -1 : 1)
        }
        // Leap seconds are inserted at 23:59:60 UTC.
        let utc = ((hour * 60 + minute - offset) % 1440 + 1440) % 1440
        return second < 60 || utc == 1439
    }

    /// Whether a text is a duration: weeks, or units from years to days and from hours to seconds without a gap.
    static func isDuration(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
        var cursor = ByteCursor(text)
        guard cursor.take("P") else { return false }
        var units: [UInt8] = Array("YMD".utf8)
        var isTime = false
        // The index of the last unit; nil before the first one.
        var last: Int?
        while !cursor.isAtEnd {
            if cursor.take("T") {
                guard !isTime, !cursor.isAtEnd else { return false }
                isTime = true
                last = nil
                units = Array("HMS".utf8)
                continue
            }
            let start = cursor.position
            while let next = cursor.next, next.isDigit { cursor.position += 1 }
            guard cursor.position > start, let unit = cursor.next else { return false }
            cursor.position += 1
            if unit == UInt8(ascii: "W"), !isTime, last == nil { return cursor.isAtEnd }
            guard let index = units.firstIndex(of: unit), last == nil || index == (last ?? 0) + 1 else { return false }
            last = index
        }
        return last != nil
    }
}
