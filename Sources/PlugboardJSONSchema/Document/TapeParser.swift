#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Parses a text into tokens, without recursion (RFC 8259). Strings with escapes are decoded in place.
struct TapeParser {
    var bytes: UnsafeMutablePointer<UInt8>
    var size: Int
    var cursor = 0
    private(set) var tokens: UnsafeMutablePointer<Token>
    var tokenCount = 0
    private var capacity = 0
    /// The indices of the containers that are open.
    var open: [UInt32] = []
    var container = -1
    private let options: JSONDocument.Options
    let depthLimit: Int
    private let seed = KeyHash.processSeed
    private var members: [UInt32] = []
    /// Whether a value is read that may have to be read again: see `Mark`.
    var isTrying = false
    /// The bytes of strings that were decoded in place meanwhile, one after the other.
    var originals: [UInt8] = []
    var originalPlaces: [(offset: Int, count: Int)] = []

    /// A parser of a whole text, which zeros follow.
    init(_ bytes: UnsafeMutablePointer<UInt8>, _ size: Int, options: JSONDocument.Options) {
        self.bytes = bytes
        self.size = size
        self.options = options
        depthLimit = min(options.depthLimit, JSONDocument.Options.deepest)
        tokens = TapeParser.first(as: Token.self)
    }

    /// A parser without a text, which comes in pieces.
    init(options: JSONDocument.Options) {
        self.init(TapeParser.first(as: UInt8.self), 0, options: options)
    }

    /// Zeros for `realloc` and `free`, of a size at which every allocation of Swift would end the process, too.
    private static func first<Element>(as type: Element.Type) -> UnsafeMutablePointer<Element> {
        calloc(1, 64)!.bindMemory(to: type, capacity: 64 / MemoryLayout<Element>.stride)
    }

    func release() { free(tokens) }

    func takeTokens() -> UnsafeMutablePointer<Token> { tokens }

    /// Appends where `reserve` has made room.
    @inline(__always)
    mutating func append(_ token: Token) {
        tokens[tokenCount] = token
        tokenCount &+= 1
    }

    /// Makes room for some tokens.
    @inline(__always)
    mutating func reserve(_ count: Int) throws(JSONDocumentError) {
        if tokenCount &+ count > capacity { try grow(by: count) }
    }

    @inline(never)
    private mutating func grow(by count: Int) throws(JSONDocumentError) {
        let larger = max(tokenCount + count, capacity + capacity / 2, size / 6 + 16)
        guard let memory = realloc(tokens, larger * MemoryLayout<Token>.stride) else { throw outOfMemory() }
        tokens = memory.assumingMemoryBound(to: Token.self)
        capacity = larger
    }

    func outOfMemory() -> JSONDocumentError {
        failure("there is not enough memory for a text of this size", isLimit: true)
    }

    @inline(never)
    func failure(_ reason: String, at offset: Int? = nil, isLimit: Bool = false) -> JSONDocumentError {
        JSONDocumentError(offset: min(offset ?? cursor, size), reason: reason, isLimit: isLimit)
    }

    @inline(never)
    func unexpected(_ wanted: String) -> JSONDocumentError {
        failure(cursor >= size ? "the text ends where \(wanted) is expected" : "\(wanted) is expected")
    }

    @inline(__always)
    mutating func skipSpace() {
        while bytes[cursor] <= 0x20 {
            switch bytes[cursor] {
            case 0x20, 0x0A, 0x0D, 0x09: cursor &+= 1
            default: return
            }
        }
    }

    mutating func run() throws(JSONDocumentError) {
        if size >= 3, bytes[0] == 0xEF, bytes[1] == 0xBB, bytes[2] == 0xBF { cursor = 3 }
        skipSpace()
        try reserve(2)
        try value()
        while container >= 0 { try step() }
        skipSpace()
        guard cursor == size else { throw failure("the end of the text is expected") }
    }

    /// What follows in the innermost container: the next element or member, or the end.
    mutating func step() throws(JSONDocumentError) {
        let isObject = tokens[container].kind == .object
        let isFirst = tokenCount == container &+ 1
        // A key and a value.
        try reserve(2)
        skipSpace()
        let byte = bytes[cursor]
        if byte == (isObject ? UInt8(ascii: "}") : UInt8(ascii: "]")) {
            cursor &+= 1
            return try close()
        }
        if !isFirst {
            guard byte == UInt8(ascii: ",") else { throw unexpected(isObject ? "\",\" or \"}\"" : "\",\" or \"]\"") }
            cursor &+= 1
            skipSpace()
        }
        tokens[container].count &+= 1
        if isObject {
            guard bytes[cursor] == UInt8(ascii: "\"") else { throw unexpected("a key in double quotes") }
            try string(.key)
            skipSpace()
            guard bytes[cursor] == UInt8(ascii: ":") else { throw unexpected("\":\"") }
            cursor &+= 1
            skipSpace()
        }
        let (outer, part) = (container, tokenCount)
        try value()
        tokens[outer].payload |= Token.part(tokens[part].kind)
    }

    @inline(__always)
    private mutating func value() throws(JSONDocumentError) {
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

    mutating func word(_ word: StaticString, _ kind: Token.Kind) throws(JSONDocumentError) {
        for position in 0..<word.utf8CodeUnitCount where bytes[cursor + position] != word.utf8Start[position] {
            throw unexpected("\"\(word)\"")
        }
        cursor += word.utf8CodeUnitCount
        append(Token(kind: kind))
    }

    mutating func enter(_ kind: Token.Kind) throws(JSONDocumentError) {
        guard open.count < depthLimit else {
            throw failure("the value is nested deeper than the limit of \(depthLimit)", isLimit: true)
        }
        open.append(UInt32(truncatingIfNeeded: container))
        container = tokenCount
        // Until its end is known: where it begins.
        append(Token(kind: kind, payload: UInt64(truncatingIfNeeded: cursor)))
        cursor &+= 1
    }

    mutating func close() throws(JSONDocumentError) {
        let isObject = tokens[container].kind == .object
        let parts = tokens[container].payload & 0xFFFF_FFFF_0000_0000
        tokens[container].payload = parts | UInt64(truncatingIfNeeded: tokenCount)
        if isObject && tokens[container].count > 1 { try replaceDuplicates() }
        container = Int(Int32(bitPattern: open.removeLast()))
    }

    @inline(__always)
    mutating func string(_ kind: Token.Kind) throws(JSONDocumentError) {
        let start = cursor &+ 1
        let (end, isASCII) = try scanString()
        let count = end &- start
        let hash = kind == .key ? hashKey(start, count) : 0
        append(.text(kind, flags: isASCII ? Token.isASCII : 0, offset: start, count: count, hash: hash))
    }

    /// Appends a string of ASCII characters without escapes whose end is known.
    mutating func plainString(_ kind: Token.Kind, _ start: Int, _ end: Int) {
        let hash = kind == .key ? hashKey(start, end &- start) : 0
        append(.text(kind, flags: Token.isASCII, offset: start, count: end &- start, hash: hash))
        cursor = end &+ 1
    }

    @inline(__always)
    private func hashKey(_ start: Int, _ count: Int) -> UInt32 {
        KeyHash.hash(bytes + start, count, seed: seed)
    }
}

extension TapeParser {
    /// Marks the keys of the innermost container that stand in it again later.
    private mutating func replaceDuplicates() throws(JSONDocumentError) {
        let count = Int(tokens[container].count)
        members.removeAll(keepingCapacity: true)
        var token = container &+ 1
        for _ in 0..<count {
            members.append(UInt32(truncatingIfNeeded: token))
            let value = tokens[token &+ 1]
            token = value.kind.isContainer ? value.offset : token &+ 2
        }
        if count <= 24 {
            for later in 1..<count {
                let hash = tokens[Int(members[later])].hash
                for earlier in 0..<later where tokens[Int(members[earlier])].hash == hash {
                    try replace(Int(members[earlier]), ifSameAs: Int(members[later]))
                }
            }
            return
        }
        let tokens = tokens
        let bytes = bytes
        members.sort { left, right in
            let (a, b) = (tokens[Int(left)], tokens[Int(right)])
            if a.hash != b.hash { return a.hash < b.hash }
            if a.count != b.count { return a.count < b.count }
            let order = memcmp(bytes + a.offset, bytes + b.offset, Int(a.count))
            return order == 0 ? left < right : order < 0
        }
        for position in 1..<count
        where tokens[Int(members[position])].hash == tokens[Int(members[position - 1])].hash {
            try replace(Int(members[position - 1]), ifSameAs: Int(members[position]))
        }
    }

    private mutating func replace(_ earlier: Int, ifSameAs later: Int) throws(JSONDocumentError) {
        let (a, b) = (tokens[earlier], tokens[later])
        guard a.kind == .key, a.count == b.count, memcmp(bytes + a.offset, bytes + b.offset, Int(a.count)) == 0 else {
            return
        }
        if options.refusesDuplicateKeys { throw failure("an object has a key twice", at: b.offset) }
        tokens[earlier].kind = .replacedKey
        tokens[container].count &-= 1
    }
}
