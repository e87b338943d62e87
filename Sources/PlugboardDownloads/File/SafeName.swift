import PlugboardMessages

/// The name of a file that is made from a URL or from what a server says: never a path, never hidden, never with
/// control characters. In linear time.
package enum SafeName {
    /// The longest name, in bytes; it leaves room for the ending of the partial file's journal.
    private static let limit = 200

    /// The longest ending that a name keeps when it is cut, in bytes as they were sent.
    private static let endingLimit = 24

    private static let unnamed = "download"

    /// The last segment of a URL's path, decoded; `download` where it has none that can be used.
    package static func from(url: String) -> String {
        guard let parts = URLParts(url) else { return unnamed }
        return make(PercentEncoding.decoded(last(Array(parts.path.utf8)) { $0 == UInt8(ascii: "/") }))
    }

    /// What a server calls the file; a path in it is dropped, as RFC 6266 §4.3 says. Nil where nothing is left.
    package static func from(name: String) -> String? {
        let safe = make(Array(last(Array(name.utf8)) { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "\\") }))
        return safe == unnamed ? nil : safe
    }

    /// What follows the last separator.
    private static func last(_ bytes: [UInt8], after isSeparator: (UInt8) -> Bool) -> ArraySlice<UInt8> {
        bytes[(bytes.lastIndex(where: isSeparator).map { $0 + 1 } ?? 0)...]
    }

    static func make(_ bytes: [UInt8]) -> String {
        // As bytes: a dot with a combining character is one character, and the file would be hidden nevertheless. Three
        // bytes become at least one, so that all that is cut here is beyond the limit.
        let first = bytes.drop { $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "-") }
        // A name that is cut keeps its ending, by which programs know what the file is.
        let dot = first.suffix(endingLimit).lastIndex(of: UInt8(ascii: ".")) ?? first.endIndex
        let ending = safe(first[dot...])
        var text = safe(first[..<dot].prefix(4 * limit))
        while text.utf8.count + ending.utf8.count > limit { text.removeLast() }
        text += ending
        while text.hasSuffix(" ") { text.removeLast() }
        // Names of partial files and journals belong to other downloads.
        let lower = text.lowercased()
        if [".part", ".part.json", ".part.json.new"].contains(where: { lower.hasSuffix($0) }) { text += "_" }
        return text.isEmpty ? unnamed : text
    }

    private static func safe(_ bytes: ArraySlice<UInt8>) -> String {
        var text = ""
        for scalar in String(decoding: bytes, as: UTF8.self).unicodeScalars {
            let isSafe = scalar.value >= 0x20 && !(0x7F...0x9F).contains(scalar.value) && !bidirectional(scalar)
            let isPath = scalar == "/" || scalar == "\\"
            text.unicodeScalars.append(isSafe && !isPath ? scalar : "_")
        }
        return text
    }

    /// Characters that change the direction of text, and so the visible ending of a name.
    private static func bidirectional(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x200E, 0x200F, 0x202A...0x202E, 0x2066...0x2069: true
        default: false
        }
    }
}
