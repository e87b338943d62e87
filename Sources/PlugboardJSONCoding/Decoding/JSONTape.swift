import PlugboardJSON

/// A JSON text and where its parts stand, found in one pass. Strings and numbers are made when they are asked for.
///
/// Each part is one `Token`, in the order of the text, and an array or an object is two: what it contains follows it.
/// The members of an object are its keys and values in turns. The token 0 is a null for values that are missing; the
/// root is the token 1.
///
/// The bytes are a copy, so that a `Decoder` that a type keeps never outlives them. Eight zeros follow them, so that no
/// byte and no word is read beyond the memory.
final class JSONTape {
    struct Token {
        /// Of the first byte of the value; of a string, the first after the quote.
        var offset: UInt32
        var kind: Kind
        /// Strings and numbers: the number of bytes. Arrays and objects: the token after all that they contain.
        var length: UInt32
        /// Keys: a hash. Arrays and objects: how many elements or members.
        var count: UInt32
    }

    /// The second token of arrays and objects.
    struct Container {
        /// The array or object that contains this one; 0 at the root.
        var parent: UInt32
        /// The index in an array, or the token of the key.
        var step: UInt32
        /// Where the next key is looked for: after the one that was found last.
        var hint: UInt32
        /// The offset after the closing bracket.
        var end: UInt32
    }

    enum Kind: UInt32 {
        case null, `true`, `false`, string, escapedString, integer, number, array, object
        /// A key that stands again later in its object.
        case replacedKey
    }

    static let root: UInt32 = 1
    static let missing: UInt32 = 0

    let bytes: UnsafeMutablePointer<UInt8>
    let byteCount: Int
    private(set) var tokens: UnsafeMutablePointer<Token>
    private(set) var count: UInt32 = 0
    private var capacity: Int
    /// Of large objects.
    var keyIndexes: [UInt32: JSONKeyIndex] = [:]

    init(copying source: UnsafeRawBufferPointer) {
        byteCount = source.count
        bytes = .allocate(capacity: source.count + 8)
        UnsafeMutableRawPointer(bytes).storeBytes(of: 0, toByteOffset: source.count, as: UInt64.self)
        if let first = source.baseAddress {
            UnsafeMutableRawPointer(bytes).copyMemory(from: first, byteCount: byteCount)
        }
        capacity = source.count / 8 + 16
        tokens = .allocate(capacity: capacity)
    }

    deinit {
        bytes.deallocate()
        tokens.deallocate()
    }

    @inline(__always)
    func append(_ kind: Kind, at offset: Int, length: Int = 0, count hash: UInt32 = 0) {
        if Int(count) == capacity { grow() }
        tokens[Int(count)] = Token(
            offset: UInt32(truncatingIfNeeded: offset), kind: kind, length: UInt32(truncatingIfNeeded: length),
            count: hash)
        count &+= 1
    }

    @inline(never)
    private func grow() {
        let larger = UnsafeMutablePointer<Token>.allocate(capacity: capacity * 2)
        larger.moveInitialize(from: tokens, count: capacity)
        tokens.deallocate()
        tokens = larger
        capacity *= 2
    }

    @inline(__always)
    subscript(token: UInt32) -> Token {
        get { tokens[Int(token)] }
        set { tokens[Int(token)] = newValue }
    }

    @inline(__always)
    subscript(container token: UInt32) -> Container {
        get { UnsafeRawPointer(tokens + Int(token) + 1).load(as: Container.self) }
        set { UnsafeMutableRawPointer(tokens + Int(token) + 1).storeBytes(of: newValue, as: Container.self) }
    }

    /// The token after a value and all that it contains.
    @inline(__always)
    func next(after token: UInt32) -> UInt32 {
        let this = self[token]
        return this.kind == .array || this.kind == .object ? this.length : token &+ 1
    }
}

extension JSONTape.Token {
    @inline(__always) var isKey: Bool { kind != .replacedKey }
    @inline(__always) var isString: Bool { kind == .string || kind == .escapedString }
    @inline(__always) var isNumber: Bool { kind == .integer || kind == .number }

    /// The kind of the value, to print after "expected".
    var kindName: String {
        switch kind {
        case .null: "null"
        case .true, .false: "a boolean"
        case .integer, .number: "a number"
        case .string, .escapedString, .replacedKey: "a string"
        case .array: "an array"
        case .object: "an object"
        }
    }
}
