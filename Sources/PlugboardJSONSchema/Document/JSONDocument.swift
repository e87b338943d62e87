#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// A JSON text that is parsed for validation: a flat list of values over a copy of its bytes.
///
/// Parsing is strict by RFC 8259: UTF-8 must be valid, and surrogates in pairs. Numbers keep their exact value. Unless
/// the options refuse equal keys, `properties`, `patternProperties` and `additionalProperties` look at the value of
/// each of them, because readers differ in which one they take; other keywords see the last one. Immutable, so any
/// thread may read it.
public final class JSONDocument: @unchecked Sendable {  // Nothing changes after the initializer.
    /// Limits, and what is refused.
    public struct Options: Sendable {
        /// The most levels of nested arrays and objects; at most 1024.
        public var depthLimit = 512
        /// The size of the largest text, in bytes; at most 1 GiB.
        public var sizeLimit = 256 << 20
        /// Whether a key that an object has twice is an error.
        public var refusesDuplicateKeys = false

        static let deepest = 1024

        /// A depth limit of 512 and a size limit of 256 MiB.
        public init() {}
    }

    let bytes: UnsafeMutablePointer<UInt8>
    let tokens: UnsafeMutablePointer<Token>
    let tokenCount: Int

    /// Parses a text, which is copied.
    public convenience init(
        _ text: UnsafeRawBufferPointer, options: Options = Options()
    ) throws(JSONDocumentError) {
        guard text.count <= min(options.sizeLimit, 1 << 30) else {
            throw JSONDocumentError(
                offset: 0, reason: "the text is larger than the limit of \(min(options.sizeLimit, 1 << 30)) bytes",
                isLimit: true)
        }
        // The zeros after the text end every scan, and let words of eight bytes be read at its end.
        guard let memory = malloc(text.count + JSONDocument.padding) else {
            throw JSONDocumentError(
                offset: 0, reason: "there is not enough memory for a text of this size", isLimit: true)
        }
        let bytes = memory.assumingMemoryBound(to: UInt8.self)
        if let base = text.baseAddress { UnsafeMutableRawPointer(bytes).copyMemory(from: base, byteCount: text.count) }
        bytes.advanced(by: text.count).initialize(repeating: 0, count: JSONDocument.padding)
        var parser = TapeParser(bytes, text.count, options: options)
        do throws(JSONDocumentError) {
            try parser.run()
        } catch {
            parser.release()
            free(bytes)
            throw error
        }
        self.init(bytes, parser.takeTokens(), parser.tokenCount)
    }

    /// Parses a text, which is copied.
    public convenience init(_ text: [UInt8], options: Options = Options()) throws(JSONDocumentError) {
        let result = text.withUnsafeBytes { bytes in
            Result { () throws(JSONDocumentError) in try JSONDocument(bytes, options: options) }
        }
        self.init(moving: try result.get())
    }

    /// Parses a text.
    public convenience init(_ text: String, options: Options = Options()) throws(JSONDocumentError) {
        try self.init(Array(text.utf8), options: options)
    }

    private init(_ bytes: UnsafeMutablePointer<UInt8>, _ tokens: UnsafeMutablePointer<Token>, _ count: Int) {
        self.bytes = bytes
        self.tokens = tokens
        tokenCount = count
        owner = nil
    }

    private init(moving other: JSONDocument) {
        bytes = other.bytes
        tokens = other.tokens
        tokenCount = other.tokenCount
        owner = other
    }

    private let owner: JSONDocument?

    deinit {
        guard owner == nil else { return }
        free(bytes)
        free(tokens)
    }

    static let padding = 16
}

/// The error for a text that is not valid JSON, or beyond a limit.
public struct JSONDocumentError: Error, Sendable, Hashable, CustomStringConvertible {
    /// Where, in bytes from the beginning.
    public let offset: Int
    /// What is wrong, without the text itself.
    public let reason: String
    /// Whether the text exceeds a limit, and may well be JSON.
    public var isLimit = false

    /// `byte OFFSET: REASON`.
    public var description: String { "byte \(offset): \(reason)" }
}
