@_spi(Tape) import PlugboardJSON

/// The state of one call of `JSONValueDecoder.decode`; used by one task at a time, like every `Decoder`.
final class DecodingSession {
    /// An array or object that a type has opened.
    struct Place {
        let token: UInt32
        /// The place around it; 0 at the root.
        let parent: UInt32
        /// The index in an array, or the token of the key.
        let step: UInt32
        /// Where the search for the next key begins: after the last key that was found.
        var hint: UInt32
    }

    // A decoder that a type keeps must not outlive the text.
    private let tape: JSONTape
    let tokens: JSONTokens
    /// The token of a null, which stands for missing values.
    let missing: UInt32
    let isStrict: Bool
    /// Whether the session is neither strict nor converts keys.
    let isPlain: Bool
    let keys: JSONKeyStrategy
    let readers: [ObjectIdentifier: JSONValueDecoder.Reader]
    /// The path of the innermost value that could not be decoded.
    var failedPath: JSONPath?
    /// The places; the first one means none.
    private(set) var places: UnsafeMutablePointer<Place>
    private var placeCount = 1
    private var capacity = 32
    /// Tables of large objects whose keys are not read in their order, by token.
    private var tables: [Int: JSONKeyTable] = [:]
    /// The keys that types have read of objects, in a strict session: unchecked frames by number.
    private var frames: [UInt32: DecodingFrame] = [:]
    private var opened: [UInt32] = []
    private var lastFrame: UInt32 = 0
    private var converted: [String: String] = [:]

    init(_ tape: consuming JSONTape, _ decoder: JSONValueDecoder) {
        tokens = tape.view
        missing = UInt32(truncatingIfNeeded: tape.count)
        self.tape = tape
        isStrict = decoder.strict
        keys = decoder.keys
        isPlain = !decoder.strict && decoder.keys == .unchanged
        readers = decoder.readers
        places = .allocate(capacity: capacity)
        places.initialize(to: Place(token: 0, parent: 0, step: 0, hint: 0))
    }

    deinit { places.deallocate() }

    /// The key by which a document of this session names a property.
    func converted(_ key: String) -> String {
        if let known = converted[key] { return known }
        let made = JSONKeyStrategy.snakeCased(key)
        converted[key] = made
        return made
    }

    /// In a strict session, the number of a new frame, which all types that read the same object as one value share.
    func makeFrame() -> UInt32 {
        guard isStrict else { return 0 }
        lastFrame &+= 1
        return lastFrame
    }

    func frame(_ number: UInt32, for token: UInt32, at path: @autoclosure () -> JSONPath) -> DecodingFrame {
        if let frame = frames[number] { return frame }
        let frame = DecodingFrame(Int(token), at: path())
        frames[number] = frame
        opened.append(number)
        return frame
    }

    /// Decodes, and then checks the objects that were read. If decoding fails, they are not checked, because the type
    /// may try an alternative.
    func checked<Value>(_ decode: () throws -> Value) throws -> Value {
        let mark = opened.count
        defer {
            for number in opened[mark...] { frames[number] = nil }
            opened.removeSubrange(mark...)
        }
        let value = try decode()
        for number in opened[mark...] { try frames[number]?.check(in: tokens) }
        return value
    }
}

extension DecodingSession {
    /// The place of the array or object of a node.
    @inline(__always)
    func open(_ node: DecodingNode) -> UInt32 {
        if placeCount == capacity { grow() }
        (places + placeCount).initialize(
            to: Place(token: node.token, parent: node.parent, step: node.step, hint: node.token &+ 1))
        placeCount &+= 1
        return UInt32(truncatingIfNeeded: placeCount &- 1)
    }

    @inline(never)
    private func grow() {
        let larger = UnsafeMutablePointer<Place>.allocate(capacity: capacity * 2)
        larger.moveInitialize(from: places, count: placeCount)
        places.deallocate()
        places = larger
        capacity *= 2
    }

    func path(to place: UInt32, _ step: UInt32) -> JSONPath {
        var elements: [JSONPathElement] = []
        var (place, step) = (place, step)
        while place != 0 {
            let container = places[Int(place)]
            if tokens[Int(container.token)].kind == .array {
                elements.append(.index(Int(step)))
            } else {
                elements.append(step == 0 ? DocumentKey.super.element : .key(tokens.string(Int(step))))
            }
            (place, step) = (container.parent, container.step)
        }
        return JSONPath(elements.reversed())
    }

    /// The token of a key; nil if the object has none.
    @inline(__always)
    func find(_ key: UnsafeBufferPointer<UInt8>, in place: UInt32) -> UInt32? {
        // Most types read the keys in the order of the object.
        let container = places[Int(place)]
        let hint = Int(container.hint)
        if hint < tokens[Int(container.token)].offset, tokens.key(hint, equals: key) { return found(hint, in: place) }
        return search(key, in: place)
    }

    @inline(__always)
    private func found(_ key: Int, in place: UInt32) -> UInt32 {
        places[Int(place)].hint = UInt32(truncatingIfNeeded: tokens.after(key &+ 1))
        return UInt32(truncatingIfNeeded: key)
    }

    private func search(_ key: UnsafeBufferPointer<UInt8>, in place: UInt32) -> UInt32? {
        let container = places[Int(place)]
        let object = Int(container.token)
        if Int(tokens[object].count) > JSONKeyTable.threshold {
            let table = tables[object] ?? JSONKeyTable(of: object, tokens)
            tables[object] = table
            return table.token(of: key).map { found($0, in: place) }
        }
        let (hint, end) = (Int(container.hint), tokens[object].offset)
        return (search(key, from: hint, to: end) ?? search(key, from: object &+ 1, to: hint)).map {
            found($0, in: place)
        }
    }

    private func search(_ key: UnsafeBufferPointer<UInt8>, from first: Int, to end: Int) -> Int? {
        var token = first
        while token < end {
            if tokens.key(token, equals: key) { return token }
            token = tokens.after(token &+ 1)
        }
        return nil
    }
}
