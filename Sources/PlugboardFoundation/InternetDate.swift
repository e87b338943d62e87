import Foundation

/// Reads and writes dates as texts of RFC 3339 §5.6, exact to the microsecond.
///
/// Foundation's style is used only for whole seconds in UTC: it would drop digits after the third, and accept the 30th
/// of February and text after a date.
enum InternetDate {
    private static let style = Date.ISO8601FormatStyle()
    private static let utc = UInt8(ascii: "Z")

    /// The date in UTC, with three or six digits of a fraction if it has one; nil outside the years 0 to 9999.
    static func text(of date: Date) -> String? {
        guard (-62_167_219_200..<253_402_300_800).contains(date.timeIntervalSince1970) else { return nil }
        let microseconds = (date.timeIntervalSince1970 * 1e6).rounded()
        let seconds = (microseconds / 1e6).rounded(.down)
        let whole = style.format(Date(timeIntervalSince1970: seconds))
        let rest = Int(microseconds - seconds * 1e6)
        if rest == 0 { return whole }
        let digits = String("\(1_000_000 + rest)".dropFirst())
        return "\(whole.dropLast()).\(rest % 1000 == 0 ? digits.prefix(3) : digits[...])Z"
    }

    /// Nil if the text is not a date, time and offset.
    static func date(_ text: String) -> Date? {
        let bytes = Array(text.utf8).map { $0 == UInt8(ascii: "t") || $0 == UInt8(ascii: "z") ? $0 - 0x20 : $0 }
        guard bytes.count > 19 else { return nil }
        // The style is lenient, so its result must be written as the same text again.
        let whole = String(decoding: bytes[..<19] + [utc], as: UTF8.self)
        guard let date = try? style.parse(whole), style.format(date) == whole else { return nil }
        var rest = bytes[19...]
        var fraction = 0.0
        if rest.first == UInt8(ascii: ".") {
            let digits = rest.dropFirst().prefix { (0x30...0x39).contains($0) }
            let text = "0." + String(decoding: digits, as: UTF8.self)
            guard !digits.isEmpty, let value = Double(text) else { return nil }
            (fraction, rest) = (value, rest[digits.endIndex...])
        }
        guard let offset = offset(rest) else { return nil }
        return Date(timeIntervalSince1970: date.timeIntervalSince1970 - offset + fraction)
    }

    /// The seconds of `Z` or of an offset such as `+02:00`.
    private static func offset(_ bytes: ArraySlice<UInt8>) -> Double? {
        if bytes.elementsEqual([utc]) { return 0 }
        guard bytes.count == 6, let sign = bytes.first, sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-") else {
            return nil
        }
        let parts = bytes.dropFirst().split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
        guard parts.count == 2, parts.allSatisfy({ $0.count == 2 && $0.allSatisfy { (0x30...0x39).contains($0) } }),
            let hours = Int(String(decoding: parts[0], as: UTF8.self)), hours < 24,
            let minutes = Int(String(decoding: parts[1], as: UTF8.self)), minutes < 60
        else { return nil }
        return Double((hours * 60 + minutes) * 60) * (sign == UInt8(ascii: "-") ? -1 : 1)
    }
}
