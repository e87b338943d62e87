/// The relation of a document's keys to the names of properties.
public enum JSONKeyStrategy: Sendable, Hashable {
    /// The keys are the names.
    case unchanged
    /// `userName` becomes `user_name`, and `imageURL` becomes `image_url`.
    ///
    /// A key that the document contains unconverted is used first, so that the keys of dictionaries are not changed.
    case snakeCase

    /// The name as lower-case words with `_` between them.
    static func snakeCased(_ name: String) -> String {
        let letters = Array(name.utf8)
        var result: [UInt8] = []
        result.reserveCapacity(letters.count + 4)
        for (position, letter) in letters.enumerated() {
            guard letter.isCapital else {
                result.append(letter)
                continue
            }
            // A word begins after a lower-case letter or a digit, and with the last capital before a lower-case letter.
            let follows = position > 0 && !letters[position - 1].isCapital && letters[position - 1] != UInt8(ascii: "_")
            let ends =
                position > 0 && letters[position - 1].isCapital && position + 1 < letters.count
                && letters[position + 1].isSmall
            if follows || ends { result.append(UInt8(ascii: "_")) }
            result.append(letter | 0x20)
        }
        return String(decoding: result, as: UTF8.self)
    }

    /// `user_name` becomes `userName`, for types that list the keys of an object.
    static func camelCased(_ key: String) -> String {
        var result: [UInt8] = []
        var isFirst = false
        for letter in key.utf8 {
            if letter == UInt8(ascii: "_"), !result.isEmpty {
                isFirst = true
            } else {
                result.append(isFirst && letter.isSmall ? letter & ~0x20 : letter)
                isFirst = false
            }
        }
        return String(decoding: result, as: UTF8.self)
    }
}

extension UInt8 {
    fileprivate var isCapital: Bool { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(self) }
    fileprivate var isSmall: Bool { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(self) }
}
