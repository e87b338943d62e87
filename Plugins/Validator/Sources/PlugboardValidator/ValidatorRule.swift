import PlugboardKit

/// A rule of the settings for the bodies of a schema: `[METHOD] URL [STATUS] [TYPE]`.
///
/// The URL is a `URLPattern`. The status is a number or a class such as `2xx`, which is the default.
/// The type is a media type or a range such as `text/*`; by default, the types of JSON.
struct ValidatorRule {
    let method: String?
    let pattern: URLPattern
    /// The lowest and the highest status.
    let statuses: ClosedRange<Int>
    let type: MediaRange?

    /// Nil if the text is not a rule.
    init?(_ text: String) {
        var words = text.split(separator: " ")[...]
        guard let first = words.first else { return nil }
        if first.utf8.allSatisfy({ $0 >= 0x41 && $0 <= 0x5A }) {
            method = String(first)
            words = words.dropFirst()
        } else {
            method = nil
        }
        guard let url = words.popFirst(), let pattern = URLPattern(String(url)) else { return nil }
        self.pattern = pattern
        type = words.last.flatMap { $0.utf8.contains(UInt8(ascii: "/")) ? MediaRange(String($0)) : nil }
        if type != nil { words.removeLast() }
        let status = words.popFirst()
        guard words.isEmpty else { return nil }
        guard let status else {
            statuses = 200...299
            return
        }
        let digits = Array(status.utf8)
        if digits.count == 3, digits[1] | 0x20 == UInt8(ascii: "x"), digits[2] | 0x20 == UInt8(ascii: "x"),
            (0x31...0x35).contains(digits[0])
        {
            let hundreds = Int(digits[0] - 0x30) * 100
            statuses = hundreds...hundreds + 99
        } else if let number = Int(status), (100...599).contains(number) {
            statuses = number...number
        } else {
            return nil
        }
    }

    /// - Parameters:
    ///   - origin: The origin of the URL.
    ///   - type: Type and subtype of the body, in lowercase.
    func applies(method: String, _ url: URLParts, of origin: Origin, status: Int?, type: String) -> Bool {
        if let own = self.method, own != method { return false }
        guard self.type.map({ $0.rank(type) != nil }) ?? MediaRange.isJSON(type) else { return false }
        if let status, !statuses.contains(status) { return false }
        return pattern.matches(url, of: origin)
    }

    /// Whether a text has the form of a pattern, in which `*` stands for any characters.
    static func matches(_ pattern: [UInt8], _ text: [UInt8]) -> Bool {
        var position = 0
        var index = 0
        // The place of the last star, and the end of the text that it matches.
        var star: (pattern: Int, text: Int)?
        while position < text.count {
            if index < pattern.count, pattern[index] == UInt8(ascii: "*") {
                star = (index, position)
                index += 1
            } else if index < pattern.count, pattern[index] == text[position] {
                index += 1
                position += 1
            } else if let last = star {
                star = (last.pattern, last.text + 1)
                index = last.pattern + 1
                position = last.text + 1
            } else {
                return false
            }
        }
        return pattern[index...].allSatisfy { $0 == UInt8(ascii: "*") }
    }
}
