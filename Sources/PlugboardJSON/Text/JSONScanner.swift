/// Reads JSON with a cursor over bytes; it has a function for each production of RFC 8259.
///
/// Each function starts at the first byte of its production and stops after the last. The bytes are borrowed: the
/// scanner must not outlive them.
struct JSONScanner {
    /// Cheaper to throw than `JSONError`, which knows lines and columns.
    struct Failure: Error {
        let offset: Int
        let reason: String
    }

    let start: UnsafePointer<UInt8>
    let end: UnsafePointer<UInt8>
    var cursor: UnsafePointer<UInt8>
    /// The decoded bytes of a string with escapes, kept for its capacity.
    var unescaped: [UInt8] = []

    private let options: JSONParser.Options
    private let depthLimit: Int
    private var depth = 0

    init(_ bytes: UnsafeRawBufferPointer, options: JSONParser.Options) {
        let bytes = bytes.bindMemory(to: UInt8.self)
        // An empty buffer may have no address. Any address is right, because no byte is read.
        let nowhere: StaticString = ""
        start = bytes.baseAddress ?? nowhere.utf8Start
        end = start + bytes.count
        cursor = start
        self.options = options
        depthLimit = min(options.depthLimit, JSONParser.Options.deepest)
    }

    var isAtEnd: Bool { cursor >= end }
    var offset: Int { cursor - start }

    // RFC 8259 §2: JSON-text = ws value ws
    mutating func document() throws(Failure) -> JSONValue {
        try enterDocument()
        let value = try value()
        try skipSpace()
        guard isAtEnd else { throw unexpected("the end of the text") }
        return value
    }

    /// Skips the byte order mark and the white space before the first value.
    mutating func enterDocument() throws(Failure) {
        cursor += UnsafeRawBufferPointer(start: start, count: end - start).byteOrderMarkCount
        try skipSpace()
    }

    // RFC 8259 §3
    mutating func value() throws(Failure) -> JSONValue {
        guard cursor < end else { throw unexpected("a value") }
        switch cursor.pointee {
        case UInt8(ascii: "\""): return .string(try string())
        case UInt8(ascii: "{"): return try object()
        case UInt8(ascii: "["): return try array()
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return .number(try number())
        case UInt8(ascii: "t"): return try word("true", .bool(true))
        case UInt8(ascii: "f"): return try word("false", .bool(false))
        case UInt8(ascii: "n"): return try word("null", .null)
        default: throw unexpected("a value")
        }
    }

    private mutating func word(_ word: StaticString, _ value: JSONValue) throws(Failure) -> JSONValue {
        for position in 0..<word.utf8CodeUnitCount {
            guard cursor < end, cursor.pointee == word.utf8Start[position] else { throw unexpected("\"\(word)\"") }
            cursor += 1
        }
        return value
    }

    // RFC 8259 §5
    private mutating func array() throws(Failure) -> JSONValue {
        var elements: [JSONValue] = []
        try enter()
        while try !leaves(at: UInt8(ascii: "]"), isFirst: elements.isEmpty) {
            elements.append(try value())
        }
        return .array(elements)
    }

    // RFC 8259 §4
    private mutating func object() throws(Failure) -> JSONValue {
        var object = JSONObject()
        try enter()
        while try !leaves(at: UInt8(ascii: "}"), isFirst: object.isEmpty) {
            let keyOffset = offset
            let key = try key()
            let old = object.updateValue(try value(), forKey: key)
            if old != nil, options.duplicateKeys == .error {
                throw Failure(offset: keyOffset, reason: "the key \(key.quotedForError) is a duplicate")
            }
        }
        return .object(object)
    }

    /// Reads a key and its colon, up to the value.
    mutating func key() throws(Failure) -> String {
        guard cursor < end, cursor.pointee == UInt8(ascii: "\"") else { throw unexpected("a key in double quotes") }
        let key = try string()
        try skipSpace()
        guard cursor < end, cursor.pointee == UInt8(ascii: ":") else { throw unexpected("\":\"") }
        cursor += 1
        try skipSpace()
        return key
    }

    /// Skips the opening bracket.
    mutating func enter() throws(Failure) {
        guard depth < depthLimit else { throw failure("the value is nested deeper than the limit of \(depthLimit)") }
        depth += 1
        cursor += 1
    }

    /// Between elements: skips the closing bracket and returns true, or skips the comma, which is required unless
    /// `isFirst`.
    mutating func leaves(at bracket: UInt8, isFirst: Bool) throws(Failure) -> Bool {
        try skipSpace()
        if !isFirst, cursor < end, cursor.pointee == UInt8(ascii: ",") {
            let comma = offset
            cursor += 1
            try skipSpace()
            guard cursor < end, cursor.pointee == bracket else { return false }
            guard options.allowsTrailingCommas else {
                throw Failure(offset: comma, reason: "a comma must not stand before a closing bracket")
            }
        }
        guard cursor < end, cursor.pointee == bracket else {
            if isFirst, cursor < end { return false }
            throw unexpected("\",\" or \"\(Character(Unicode.Scalar(bracket)))\"")
        }
        cursor += 1
        depth -= 1
        return true
    }

    mutating func skipSpace() throws(Failure) {
        while cursor < end {
            switch cursor.pointee {
            case UInt8(ascii: " "), UInt8(ascii: "\n"), UInt8(ascii: "\r"), UInt8(ascii: "\t"): cursor += 1
            case UInt8(ascii: "/") where options.allowsComments: try skipComment()
            default: return
            }
        }
    }

    private mutating func skipComment() throws(Failure) {
        let opening = cursor
        let second = end - cursor > 1 ? cursor[1] : 0
        guard second == UInt8(ascii: "/") || second == UInt8(ascii: "*") else { throw unexpected("a value") }
        cursor += 2
        let body = cursor
        if second == UInt8(ascii: "/") {
            while cursor < end, cursor.pointee != UInt8(ascii: "\n"), cursor.pointee != UInt8(ascii: "\r") {
                cursor += 1
            }
            try validate(body..<cursor)
            return
        }
        while end - cursor > 1 {
            if cursor.pointee == UInt8(ascii: "*"), cursor[1] == UInt8(ascii: "/") {
                try validate(body..<cursor)
                cursor += 2
                return
            }
            cursor += 1
        }
        cursor = opening
        throw failure("the comment is never closed")
    }
}

extension JSONScanner {
    /// An error at the cursor.
    @inline(never)
    func failure(_ reason: String) -> Failure { Failure(offset: offset, reason: reason) }

    @inline(never)
    func unexpected(_ expected: String) -> Failure {
        guard cursor < end else { return failure("the text ends where \(expected) is expected") }
        let rest = UnsafeBufferPointer(start: cursor, count: min(4, end - cursor))
        var decoder = UTF8()
        var bytes = rest.makeIterator()
        guard case .scalarValue(let scalar) = decoder.decode(&bytes) else {
            return failure("the text is not valid UTF-8")
        }
        if scalar == "/", !options.allowsComments { return failure("comments are not allowed here") }
        return failure("\(expected) is expected, not \(String(scalar).quotedForError)")
    }
}
