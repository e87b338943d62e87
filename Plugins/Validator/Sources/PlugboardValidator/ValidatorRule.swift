import PlugboardKit

/// A rule of the settings for the bodies of a schema: `[METHOD] URL [STATUS] [TYPE]`.
///
/// In the URL, `*` stands for any characters. The status is a number or a class such as `2xx`, which is the default.
/// The type is a media type or a range such as `text/*`; by default, the types of JSON.
struct ValidatorRule {
    let method: String?
    let pattern: URLWildcard
    /// The lowest and the highest status.
    let statuses: ClosedRange<Int>
    let type: MediaRange?

    /// Nil if the text is not a rule, or if its URL has neither a scheme nor a leading `*`, so that none matches.
    init?(_ text: String) {
        var words = text.split(separator: " ")[...]
        guard let first = words.first else { return nil }
        if first.utf8.allSatisfy({ $0 >= 0x41 && $0 <= 0x5A }) {
            method = String(first)
            words = words.dropFirst()
        } else {
            method = nil
        }
        guard let url = words.popFirst(), let pattern = URLWildcard(String(url)) else { return nil }
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
    ///   - url: In the comparable form of `URLWildcard`.
    ///   - type: Type and subtype of the body, in lowercase.
    func applies(method: String, url: [UInt8], status: Int?, type: String) -> Bool {
        if let own = self.method, own != method { return false }
        guard self.type.map({ $0.rank(type) != nil }) ?? MediaRange.isJSON(type) else { return false }
        if let status, !statuses.contains(status) { return false }
        return pattern.matches(url)
    }
}
