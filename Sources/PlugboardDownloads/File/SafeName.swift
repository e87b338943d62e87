import PlugboardMessages

/// The name of a file that is made from a URL or from what a server says: never a path, never hidden, never with
/// control characters.
package enum SafeName {
    /// The longest name, in bytes; it leaves room for the ending of the partial file's journal.
    private static let limit = 200

    private static let unnamed = "download"

    /// The last segment of a URL's path, decoded; `download` where it has none that can be used.
    package static func from(url: String) -> String {
        guard let parts = URLParts(url) else { return unnamed }
        let segments = Array(parts.path.utf8).split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        return make(PercentEncoding.decoded(segments.last ?? []))
    }

    /// What a server calls the file; a path in it is dropped, as RFC 6266 §4.3 says. Nil where nothing is left.
    package static func from(name: String) -> String? {
        let last =
            name.utf8.split(omittingEmptySubsequences: false) { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "\\") }
            .last ?? Substring(name).utf8
        let safe = make(Array(last))
        return safe == unnamed ? nil : safe
    }

    static func make(_ bytes: [UInt8]) -> String {
        var text = ""
        for scalar in String(decoding: bytes, as: UTF8.self).unicodeScalars {
            let isSafe = scalar.value >= 0x20 && !(0x7F...0x9F).contains(scalar.value) && !bidirectional(scalar)
            let isPath = scalar == "/" || scalar == "\\"
            text.unicodeScalars.append(isSafe && !isPath ? scalar : "_")
        }
        // By scalars: a dot with a combining character is one character, and the file would be hidden nevertheless.
        while let first = text.unicodeScalars.first, first == "." || first == " " || first == "-" {
            text.unicodeScalars.removeFirst()
        }
        while text.hasSuffix(" ") { text.removeLast() }
        while text.utf8.count > limit { text.removeLast() }
        // Names of partial files and journals belong to other downloads.
        let lower = text.lowercased()
        if [".part", ".part.json", ".part.json.new"].contains(where: { lower.hasSuffix($0) }) { text += "_" }
        return text.isEmpty ? unnamed : text
    }

    /// Characters that change the direction of text, and so the visible ending of a name.
    private static func bidirectional(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x200E, 0x200F, 0x202A...0x202E, 0x2066...0x2069: true
        default: false
        }
    }
}
