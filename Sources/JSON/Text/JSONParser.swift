/// Reads JSON texts, strictly by RFC 8259 but for what the options allow.
///
/// UTF-8 must be valid, surrogates paired, nothing may follow the value. A byte order mark at the start is ignored.
/// Recursion is bounded by the depth limit: no input overflows the stack. Called from any thread.
public struct JSONParser: Sendable {
    public struct Options: Sendable {
        public enum DuplicateKeys: Sendable {
            /// The last value counts, in the place of the first.
            case lastWins
            case error
        }

        /// `// to the end of the line` and `/* between */`, wherever space may stand.
        public var allowsComments = false
        /// One comma after the last element or member.
        public var allowsTrailingCommas = false
        /// Arrays and objects inside each other; values above `deepest` count as `deepest`.
        public var depthLimit = 512
        /// In bytes.
        public var sizeLimit = 64 << 20
        public var duplicateKeys = DuplicateKeys.lastWins

        /// What a small thread's stack (512 KiB) still holds in an optimized build.
        public static let deepest = 1024

        public init() {}
    }

    /// For files written by people: comments and trailing commas, and each key once.
    public static let configuration: Options = {
        var options = Options()
        options.allowsComments = true
        options.allowsTrailingCommas = true
        options.duplicateKeys = .error
        return options
    }()

    /// The bytes are only read, and not kept.
    public static func parse(
        _ bytes: UnsafeRawBufferPointer, options: Options = Options()
    ) throws(JSONError) -> JSONValue {
        do throws(JSONScanner.Failure) {
            guard bytes.count <= options.sizeLimit else {
                throw .init(offset: 0, reason: "the text is larger than the limit of \(options.sizeLimit) bytes")
            }
            var scanner = JSONScanner(bytes, options: options)
            return try scanner.document()
        } catch {
            throw JSONError(reason: error.reason, position: JSONPosition(offset: error.offset, in: bytes))
        }
    }

    public static func parse(
        _ bytes: some Sequence<UInt8>, options: Options = Options()
    ) throws(JSONError) -> JSONValue {
        let parsed = bytes.withContiguousStorageIfAvailable { result(of: UnsafeRawBufferPointer($0), options) }
        if let parsed { return try parsed.get() }
        // One byte more than the limit is enough to refuse, even where the sequence never ends.
        let limit = max(0, min(options.sizeLimit, Int.max - 1))
        return try Array(bytes.prefix(limit + 1)).withUnsafeBytes { result(of: $0, options) }.get()
    }

    public static func parse(_ text: String, options: Options = Options()) throws(JSONError) -> JSONValue {
        var text = text
        return try text.withUTF8 { result(of: UnsafeRawBufferPointer($0), options) }.get()
    }

    /// Also tells where each part of the value was written. Keeps a copy of the bytes for it.
    public static func parseWithPositions(
        _ bytes: some Sequence<UInt8>, options: Options = Options()
    ) throws(JSONError) -> (JSONValue, JSONPositions) {
        let bytes = Array(bytes.prefix(max(0, min(options.sizeLimit, Int.max - 1)) + 1))
        return (try parse(bytes, options: options), JSONPositions(bytes: bytes, options: options))
    }

    /// Also tells where each part of the value was written. Keeps a copy of the text for it.
    public static func parseWithPositions(
        _ text: String, options: Options = Options()
    ) throws(JSONError) -> (JSONValue, JSONPositions) {
        try parseWithPositions(text.utf8, options: options)
    }

    /// Carries a typed error out of closures that rethrow untyped ones.
    private static func result(of bytes: UnsafeRawBufferPointer, _ options: Options) -> Result<JSONValue, JSONError> {
        do throws(JSONError) {
            return .success(try parse(bytes, options: options))
        } catch {
            return .failure(error)
        }
    }
}
