import PlugboardMessages

/// Makes a file name from a URL or from a server's text. It is not a path, not hidden, and has no control characters.
/// Takes linear time.
package enum SafeName {
    /// The longest name, in bytes; it leaves room for the ending of the partial file's journal.
    private static let limit = 200

    /// The longest extension that is kept when a name is cut, in bytes as they were sent.
    private static let endingLimit = 24

    private static let unnamed = "download"

    /// The last segment of a URL's path, decoded; `download` if the path has no usable segment.
    package static func from(url: String) -> String {
        guard let parts = URLParts(url) else { return unnamed }
        return make(PercentEncoding.decoded(last(Array(parts.path.utf8)) { $0 == UInt8(ascii: "/") }))
    }

    /// The server's name of the file without a path, as RFC 6266 §4.3 requires. Nil if nothing is left.
    package static func from(name: String) -> String? {
        let safe = make(Array(last(Array(name.utf8)) { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "\\") }))
        return safe == unnamed ? nil : safe
    }

    /// The part after the last separator.
    private static func last(_ bytes: [UInt8], after isSeparator: (UInt8) -> Bool) -> ArraySlice<UInt8> {
        bytes[(bytes.lastIndex(where: isSeparator).map { $0 + 1 } ?? 0)...]
    }

    static func make(_ bytes: [UInt8]) -> String {
        // Compares bytes: a dot with a combining character is one character, but the file would still be hidden. Three
        // bytes become at least one, so that everything that is cut here is beyond the limit.
        let first = bytes.drop { $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "-") }
        // A cut name keeps its extension, by which programs recognize the type of the file.
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

    /// Whether a character changes the direction of text, and thereby the visible extension of a name.
    private static func bidirectional(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x200E, 0x200F, 0x202A...0x202E, 0x2066...0x2069: true
        default: false
        }
    }
}
