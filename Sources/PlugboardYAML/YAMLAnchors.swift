/// Refuses, before it is parsed, a document whose aliases would make the parser slow or its tree too deep.
///
/// The parser compares the keys of a mapping, so that a key with aliases in it could take exponential time; and each
/// anchor can add the deepest tree to those before it. The scan is no parse: what looks like an anchor or an alias in a
/// text counts too, if both have the same name.
enum YAMLAnchors {
    static func check(_ bytes: [UInt8], limit: Int) throws(YAMLFailure) {
        var anchors: [ArraySlice<UInt8>: Int] = [:]
        var aliases: Set<ArraySlice<UInt8>> = []
        var key: (line: Int, column: Int)?
        var (line, lineStart) = (1, 0)
        /// Whether a flow collection began on this line.
        var mayBeKey = false
        var index = 0
        while index < bytes.count {
            let byte = bytes[index]
            if byte == UInt8(ascii: "\n") {
                (line, lineStart, mayBeKey) = (line + 1, index + 1, false)
            } else if isStart(bytes, index) {
                switch byte {
                case UInt8(ascii: "&"): if let name = name(bytes, index) { anchors[name, default: 0] += 1 }
                case UInt8(ascii: "*"):
                    if let name = name(bytes, index) {
                        aliases.insert(name)
                        if colonFollows(bytes, name.endIndex) { key = key ?? (line, index - lineStart + 1) }
                        index = name.endIndex - 1
                    }
                case UInt8(ascii: "["), UInt8(ascii: "{"): mayBeKey = true
                case UInt8(ascii: "?") where isEnd(bytes, index + 1): key = key ?? (line, index - lineStart + 1)
                default: break
                }
            }
            if mayBeKey, byte == UInt8(ascii: "]") || byte == UInt8(ascii: "}"), colonFollows(bytes, index + 1) {
                key = key ?? (line, index - lineStart + 1)
            }
            index += 1
        }
        let used = anchors.filter { aliases.contains($0.key) }
        guard !used.isEmpty else { return }
        guard used.values.reduce(0, +) <= limit else {
            throw YAMLFailure("has more than \(limit) anchors that aliases refer to", line: nil, column: nil)
        }
        if let key {
            throw YAMLFailure(
                "has anchors, and a key that may be an alias or a collection; only texts can be keys beside anchors",
                line: key.line, column: key.column)
        }
    }

    /// Whether a token can begin here.
    private static func isStart(_ bytes: [UInt8], _ index: Int) -> Bool {
        index == 0 || " \t\n\r[{,:-?".utf8.contains(bytes[index - 1])
    }

    private static func isEnd(_ bytes: [UInt8], _ index: Int) -> Bool {
        index >= bytes.count || " \t\n\r,]}".utf8.contains(bytes[index])
    }

    /// The name of an anchor or alias that begins here.
    private static func name(_ bytes: [UInt8], _ index: Int) -> ArraySlice<UInt8>? {
        let name = bytes[(index + 1)...].prefix { byte in
            (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte & 0xDF) || byte == UInt8(ascii: "_")
                || byte == UInt8(ascii: "-")
        }
        guard !name.isEmpty else { return nil }
        return name.endIndex >= bytes.count || " \t\n\r?:,]}%@`".utf8.contains(bytes[name.endIndex]) ? name : nil
    }

    /// Whether a colon follows on the line, after spaces.
    private static func colonFollows(_ bytes: [UInt8], _ index: Int) -> Bool {
        var next = index
        while next < bytes.count, bytes[next] == 0x20 || bytes[next] == 0x09 { next += 1 }
        return next < bytes.count && bytes[next] == UInt8(ascii: ":")
    }
}
