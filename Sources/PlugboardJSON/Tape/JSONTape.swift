import PlugboardSystem

/// A parsed JSON text: its tokens over a copy of its bytes, in which strings with escapes are decoded.
///
/// Values, `Codable` types and schemas are read from it. Any thread may read it.
package struct JSONTape: ~Copyable, @unchecked Sendable {  // Nothing changes after the initializer.
    /// The bytes and tokens, valid as long as the tape. A null follows the last token.
    package let view: JSONTokens
    /// The number of tokens; the root is the token 0.
    package let count: Int

    /// Parses a text, which is copied. Texts of 4 GiB are refused whatever the options allow.
    package init(_ text: UnsafeRawBufferPointer, options: JSONParser.Options) throws(JSONFailure) {
        let limit = min(options.sizeLimit, Int(UInt32.max) - 64)
        guard text.count <= limit else {
            throw JSONFailure(
                offset: 0, reason: "the text is larger than the limit of \(limit) bytes", isLimit: true)
        }
        let room = text.count / 6 + 16
        guard let memory = malloc(text.count + JSONTapeParser.padding),
            let tokens = malloc(room * MemoryLayout<JSONToken>.stride)
        else {
            throw JSONFailure(
                offset: 0, reason: "there is not enough memory for a text of this size", isLimit: true)
        }
        if let base = text.baseAddress { memory.copyMemory(from: base, byteCount: text.count) }
        let bytes = memory.assumingMemoryBound(to: UInt8.self)
        (bytes + text.count).initialize(repeating: 0, count: JSONTapeParser.padding)
        var parser = JSONTapeParser(
            bytes, text.count, tokens.assumingMemoryBound(to: JSONToken.self), room: room, options: options)
        do throws(JSONFailure) {
            try parser.document()
            try parser.reserve(1)
        } catch {
            parser.release()
            free(bytes)
            throw error
        }
        parser.tokens[parser.tokenCount] = JSONToken(kind: .null)
        view = JSONTokens(UnsafePointer(parser.tokens), UnsafePointer(bytes))
        count = parser.tokenCount
    }

    deinit {
        free(UnsafeMutableRawPointer(mutating: view.tokens))
        free(UnsafeMutableRawPointer(mutating: view.bytes))
    }

    /// The value of the text.
    package var value: JSONValue { view.value(0) }
}
