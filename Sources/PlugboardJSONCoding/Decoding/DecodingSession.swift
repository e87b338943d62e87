import PlugboardJSON

/// The state of one call of `JSONValueDecoder.decode`; used by one task at a time, like every `Decoder`.
final class DecodingSession {
    let tape: JSONTape
    let isStrict: Bool
    /// Neither strict nor with other keys than the types'.
    let isPlain: Bool
    let keys: JSONKeyStrategy
    let readers: [ObjectIdentifier: JSONValueDecoder.Reader]
    /// The path of the innermost value that could not be decoded.
    var failedPath: JSONPath?
    /// What types have read of objects, in a strict session: those that are not yet checked, by number and in order.
    private var frames: [UInt32: DecodingFrame] = [:]
    private var opened: [UInt32] = []
    private var lastFrame: UInt32 = 0
    private var converted: [String: String] = [:]

    init(_ tape: JSONTape, _ decoder: JSONValueDecoder) {
        self.tape = tape
        isStrict = decoder.strict
        keys = decoder.keys
        isPlain = !decoder.strict && decoder.keys == .unchanged
        readers = decoder.readers
    }

    /// The key under which a document of this session has a property.
    func converted(_ key: String) -> String {
        if let known = converted[key] { return known }
        let made = JSONKeyStrategy.snakeCased(key)
        converted[key] = made
        return made
    }

    /// In a strict session, the number of a new frame; all types that read the same object as one value share it.
    func makeFrame() -> UInt32 {
        guard isStrict else { return 0 }
        lastFrame &+= 1
        return lastFrame
    }

    func frame(_ number: UInt32, for token: UInt32, at path: @autoclosure () -> JSONPath) -> DecodingFrame {
        if let frame = frames[number] { return frame }
        let frame = DecodingFrame(token, at: path())
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
        for number in opened[mark...] { try frames[number]?.check(in: tape) }
        return value
    }
}
