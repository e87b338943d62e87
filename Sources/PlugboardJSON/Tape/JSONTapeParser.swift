import PlugboardSystem

/// Parses a text into tokens, without recursion, by RFC 8259 and the options. Strings with escapes are decoded in
/// place.
@_spi(Tape) public struct JSONTapeParser {
    /// `padding` zeros follow the text. They end every scan, and let words of eight bytes be read at its end.
    public var bytes: UnsafeMutablePointer<UInt8>
    public var size: Int
    public var cursor = 0
    public private(set) var tokens: UnsafeMutablePointer<JSONToken>
    public var tokenCount = 0
    @usableFromInline private(set) var capacity = 0
    /// The token of the innermost open array or object; -1 if there is none.
    public var container = -1
    /// The number of open arrays and objects.
    public var depth = 0
    public let depthLimit: Int
    let allowsComments: Bool
    private let allowsTrailingCommas: Bool
    private let refusesDuplicates: Bool
    let seed = JSONKeyHash.processSeed
    /// Whether a value is being read that may have to be read again.
    public var isTrying = false
    /// The original bytes of strings that were decoded in place since then, one after the other.
    public var originals: [UInt8] = []
    public var originalPlaces: [(offset: Int, count: Int)] = []

    /// The zeros after the text.
    @inlinable public static var padding: Int { 16 }

    /// Creates a parser of a text, with or without room for tokens. The caller owns the bytes and releases the parser.
    init(
        _ bytes: UnsafeMutablePointer<UInt8>, _ size: Int, _ tokens: UnsafeMutablePointer<JSONToken>, room: Int,
        options: JSONParser.Options
    ) {
        self.bytes = bytes
        self.size = size
        self.tokens = tokens
        capacity = room
        depthLimit = min(options.depthLimit, JSONParser.Options.deepest)
        allowsComments = options.allowsComments
        allowsTrailingCommas = options.allowsTrailingCommas
        refusesDuplicates = options.duplicateKeys == .error
    }

    /// Creates a parser for a text that arrives in pieces. The caller reallocates and frees the bytes.
    public init(options: JSONParser.Options) {
        self.init(Self.first(as: UInt8.self), 0, Self.first(as: JSONToken.self), room: 0, options: options)
    }

    /// Zeroed memory for `realloc` and `free`. As with Swift's own allocations of this size, failure ends the process.
    private static func first<Element>(as type: Element.Type) -> UnsafeMutablePointer<Element> {
        calloc(1, 64)!.bindMemory(to: type, capacity: 64 / MemoryLayout<Element>.stride)
    }

    /// Frees the tokens.
    public func release() { free(tokens) }

    /// Appends a token where `reserve` has made room.
    @inline(__always)
    mutating func append(_ token: JSONToken) {
        tokens[tokenCount] = token
        tokenCount &+= 1
    }

    /// Makes room for some tokens.
    @inlinable @inline(__always)
    public mutating func reserve(_ count: Int) throws(JSONFailure) {
        if tokenCount &+ count > capacity { try grow(by: count) }
    }

    @usableFromInline @inline(never)
    mutating func grow(by count: Int) throws(JSONFailure) {
        let larger = max(tokenCount + count, capacity + capacity / 2, size / 6 + 16)
        guard let memory = realloc(tokens, larger * MemoryLayout<JSONToken>.stride) else { throw outOfMemory() }
        tokens = memory.assumingMemoryBound(to: JSONToken.self)
        capacity = larger
    }

    @inlinable @inline(__always)
    public mutating func skipSpace() {
        while bytes[cursor] <= 0x20 {
            switch bytes[cursor] {
            case 0x20, 0x0A, 0x0D, 0x09: cursor &+= 1
            default: return
            }
        }
    }

    /// Skips white space, and comments if they are allowed.
    @inline(__always)
    private mutating func skipBlank() throws(JSONFailure) {
        skipSpace()
        if bytes[cursor] == UInt8(ascii: "/"), allowsComments { try skipComments() }
    }

    @inline(never)
    private mutating func skipComments() throws(JSONFailure) {
        while bytes[cursor] == UInt8(ascii: "/") {
            let opening = cursor
            let isLine = bytes[opening &+ 1] == UInt8(ascii: "/")
            guard isLine || bytes[opening &+ 1] == UInt8(ascii: "*") else { throw unexpected("a value") }
            cursor &+= 2
            if isLine {
                while cursor < size, bytes[cursor] != UInt8(ascii: "\n"), bytes[cursor] != UInt8(ascii: "\r") {
                    cursor &+= 1
                }
                try validate(opening..<cursor)
            } else {
                while bytes[cursor] != UInt8(ascii: "*") || bytes[cursor &+ 1] != UInt8(ascii: "/") {
                    guard cursor < size else { throw failure("the comment is never closed", at: opening) }
                    cursor &+= 1
                }
                try validate(opening..<cursor)
                cursor &+= 2
            }
            skipSpace()
        }
    }

    // RFC 8259 §2: JSON-text = ws value ws
    mutating func document() throws(JSONFailure) {
        cursor = UnsafeRawBufferPointer(start: bytes, count: size).byteOrderMarkCount
        try skipBlank()
        try reserve(2)
        try value()
        while container >= 0 { try step() }
        try skipBlank()
        guard cursor == size else { throw unexpected("the end of the text") }
    }

    /// Reads the next element, member or end of the innermost array or object.
    public mutating func step() throws(JSONFailure) {
        let isObject = tokens[container].kind == .object
        let bracket = isObject ? UInt8(ascii: "}") : UInt8(ascii: "]")
        let isFirst = tokenCount == container &+ 1
        // Room for a key and a value.
        try reserve(2)
        try skipBlank()
        let byte = bytes[cursor]
        if byte == bracket {
            cursor &+= 1
            return try close()
        }
        if !isFirst {
            guard byte == UInt8(ascii: ",") else { throw unexpected(isObject ? "\",\" or \"}\"" : "\",\" or \"]\"") }
            let comma = cursor
            cursor &+= 1
            try skipBlank()
            if bytes[cursor] == bracket { return try closeAfter(comma: comma) }
        }
        tokens[container].count &+= 1
        if isObject {
            guard bytes[cursor] == UInt8(ascii: "\"") else { throw unexpected("a key in double quotes") }
            try string(.key)
            try skipBlank()
            guard bytes[cursor] == UInt8(ascii: ":") else { throw unexpected("\":\"") }
            cursor &+= 1
            try skipBlank()
        }
        let (outer, part) = (container, tokenCount)
        try value()
        tokens[outer].detail |= tokens[part].kind.bit
    }

    // RFC 8259 §3
    private mutating func value() throws(JSONFailure) {
        switch bytes[cursor] {
        case UInt8(ascii: "\""): try string(.string)
        case UInt8(ascii: "{"): try enter(.object)
        case UInt8(ascii: "["): try enter(.array)
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): try number()
        case UInt8(ascii: "t"): try word("true", .true)
        case UInt8(ascii: "f"): try word("false", .false)
        case UInt8(ascii: "n"): try word("null", .null)
        default: throw unexpected("a value")
        }
    }

    /// Reads `true`, `false` or `null`.
    public mutating func word(_ word: StaticString, _ kind: JSONToken.Kind) throws(JSONFailure) {
        let start = cursor
        for position in 0..<word.utf8CodeUnitCount {
            guard bytes[cursor] == word.utf8Start[position] else { throw unexpected("\"\(word)\"") }
            cursor &+= 1
        }
        append(JSONToken(kind: kind, count: UInt32(truncatingIfNeeded: start)))
    }

    /// Opens the array or object at the cursor.
    public mutating func enter(_ kind: JSONToken.Kind) throws(JSONFailure) {
        guard depth < depthLimit else { throw tooDeep() }
        depth &+= 1
        // While it is open, the token of the outer container is stored where the token of its end will be stored.
        let outer = UInt64(UInt32(truncatingIfNeeded: container))
        container = tokenCount
        append(JSONToken(kind: kind, payload: UInt64(truncatingIfNeeded: cursor) &<< 32 | outer))
        cursor &+= 1
    }

    public func tooDeep() -> JSONFailure {
        failure("the value is nested deeper than the limit of \(depthLimit)", isLimit: true)
    }

    private mutating func closeAfter(comma: Int) throws(JSONFailure) {
        guard allowsTrailingCommas else {
            throw failure("a comma must not stand before a closing bracket", at: comma)
        }
        cursor &+= 1
        try close()
    }

    /// Closes the innermost array or object, after its bracket.
    public mutating func close() throws(JSONFailure) {
        let closed = container
        container = outer(closed)
        depth &-= 1
        let token = tokens[closed]
        tokens[closed].payload = token.payload & 0xFFFF_FFFF_0000_0000 | UInt64(truncatingIfNeeded: tokenCount)
        if token.kind == .object && token.count > 1 { try replaceDuplicates(in: closed) }
    }

    /// The array or object around an open one; -1 without one.
    public func outer(_ open: Int) -> Int { Int(Int32(truncatingIfNeeded: tokens[open].payload)) }

    @inline(__always)
    public mutating func string(_ kind: JSONToken.Kind) throws(JSONFailure) {
        let start = cursor &+ 1
        let (end, isASCII) = try scanString()
        append(text(kind, start, end, isASCII ? JSONToken.isASCII : 0))
    }

    /// Appends a string of ASCII characters without escapes whose end is known.
    public mutating func plainString(_ kind: JSONToken.Kind, _ start: Int, _ end: Int) {
        append(text(kind, start, end, JSONToken.isASCII))
        cursor = end &+ 1
    }

    @inline(__always)
    private func text(_ kind: JSONToken.Kind, _ start: Int, _ end: Int, _ detail: UInt16) -> JSONToken {
        let count = end &- start
        let hash = kind == .key ? JSONKeyHash.hash(bytes + start, count, seed: seed) : 0
        return .text(kind, detail: detail, offset: start, count: count, hash: hash)
    }
}

extension JSONTapeParser {
    /// Marks the keys of an object that occur again later in it.
    private mutating func replaceDuplicates(in object: Int) throws(JSONFailure) {
        let view = JSONTokens(UnsafePointer(tokens), UnsafePointer(bytes))
        let count = Int(tokens[object].count)
        guard count <= JSONKeyTable.threshold else {
            var table = JSONKeyTable(memberCount: count, view)
            var key = object &+ 1
            for _ in 0..<count {
                if let earlier = table.insert(key) { try replace(earlier, with: key, in: object) }
                key = view.after(key &+ 1)
            }
            return
        }
        var members = InlineArray<24, Int>(repeating: 0)
        var seen: UInt64 = 0
        var key = object &+ 1
        for position in 0..<count {
            members[position] = key
            seen |= 1 &<< UInt64(tokens[key].hash & 63)
            key = view.after(key &+ 1)
        }
        // If each key has a bit of its own, no two are equal.
        guard seen.nonzeroBitCount < count else { return }
        for position in 1..<count {
            let later = members[position]
            for index in 0..<position where tokens[members[index]].hash == tokens[later].hash {
                if view.keysAreEqual(members[index], later) { try replace(members[index], with: later, in: object) }
            }
        }
    }

    private mutating func replace(_ earlier: Int, with later: Int, in object: Int) throws(JSONFailure) {
        if refusesDuplicates { throw duplicate(tokens[later]) }
        tokens[earlier].kind = .replacedKey
        tokens[object].count &-= 1
        tokens[object].detail |= JSONToken.hasReplacedKeys
    }
}
