/// Parses JSON texts, strictly by RFC 8259 except for what the options allow.
///
/// UTF-8 must be valid, surrogates must be in pairs, and only one value is allowed. A byte order mark at the start is
/// ignored. The depth limit bounds the recursion of code that reads the values. Can be called on any thread.
public struct JSONParser: Sendable {
    /// Extensions of RFC 8259, and limits.
    public struct Options: Sendable {
        /// What happens if an object has a key twice.
        public enum DuplicateKeys: Sendable {
            /// The last value is used, at the position of the first.
            case lastWins
            /// A repeated key is an error.
            case error
        }

        /// Allows `// …` up to the end of the line and `/* … */`, wherever white space is allowed.
        public var allowsComments = false
        /// Allows one comma after the last element or member.
        public var allowsTrailingCommas = false
        /// The most levels of nested arrays and objects; at most `deepest`.
        public var depthLimit = 512
        /// The size of the largest text, in bytes; values of 4 GiB or more have the effect of slightly less.
        public var sizeLimit = 64 << 20
        /// What happens if an object has a key twice.
        public var duplicateKeys = DuplicateKeys.lastWins

        /// The depth for which a stack of 512 KiB is sufficient in an optimized build.
        public static let deepest = 1024

        /// RFC 8259, with a depth limit of 512 and a size limit of 64 MiB.
        public init() {}

        /// RFC 8259 with the largest limits, for texts that the program itself has written.
        package static let unlimited: Options = {
            var options = Options()
            options.depthLimit = deepest
            options.sizeLimit = .max
            return options
        }()
    }

    /// Options for files that people write: comments and trailing commas are allowed, and duplicate keys refused.
    public static let configuration: Options = {
        var options = Options()
        options.allowsComments = true
        options.allowsTrailingCommas = true
        options.duplicateKeys = .error
        return options
    }()

    /// Parses a text. The bytes are used during the call only.
    public static func parse(
        _ bytes: UnsafeRawBufferPointer, options: Options = Options()
    ) throws(JSONError) -> JSONValue {
        do throws(JSONFailure) {
            return try JSONTape(bytes, options: options).value
        } catch {
            throw JSONError(error, in: bytes)
        }
    }

    /// Parses a text. Reads at most one byte more than the size limit.
    public static func parse(
        _ bytes: some Sequence<UInt8>, options: Options = Options()
    ) throws(JSONError) -> JSONValue {
        let parsed = bytes.withContiguousStorageIfAvailable { result(of: UnsafeRawBufferPointer($0), options) }
        if let parsed { return try parsed.get() }
        // One byte more than the limit is enough to refuse the text, even if the sequence is endless.
        let limit = max(0, min(options.sizeLimit, Int.max - 1))
        return try Array(bytes.prefix(limit + 1)).withUnsafeBytes { result(of: $0, options) }.get()
    }

    /// Parses a text.
    public static func parse(_ text: String, options: Options = Options()) throws(JSONError) -> JSONValue {
        var text = text
        return try text.withUTF8 { result(of: UnsafeRawBufferPointer($0), options) }.get()
    }

    /// Parses a text and returns also the positions of all parts. The positions keep a copy of the bytes.
    package static func parseWithPositions(
        _ bytes: some Sequence<UInt8>, options: Options = Options()
    ) throws(JSONError) -> (JSONValue, JSONPositions) {
        let limit = max(0, min(options.sizeLimit, Int.max - 1)) + 1
        // In one piece if possible, because a sequence is copied byte by byte.
        let copy = bytes.withContiguousStorageIfAvailable { Array($0.prefix(limit)) }
        let bytes = copy ?? Array(bytes.prefix(limit))
        return (try parse(bytes, options: options), JSONPositions(bytes: bytes, options: options))
    }

    /// Parses a text and returns also the positions of all parts. The positions keep a copy of the text.
    package static func parseWithPositions(
        _ text: String, options: Options = Options()
    ) throws(JSONError) -> (JSONValue, JSONPositions) {
        try parseWithPositions(text.utf8, options: options)
    }

    /// Whether a content type is `application/json` or ends in `+json` (RFC 6839 §3.1).
    package static func isJSON(_ contentType: String) -> Bool {
        let type = contentType.prefix { $0 != ";" && $0 != " " }.lowercased()
        return type == "application/json" || type.hasSuffix("+json")
    }

    /// Returns a result, because a typed error cannot be thrown through closures that rethrow untyped errors.
    private static func result(of bytes: UnsafeRawBufferPointer, _ options: Options) -> Result<JSONValue, JSONError> {
        do throws(JSONError) {
            return .success(try parse(bytes, options: options))
        } catch {
            return .failure(error)
        }
    }
}
