@_spi(Tape) import PlugboardJSON

/// A JSON text that is parsed for validation.
///
/// Parsing is strict by RFC 8259: UTF-8 must be valid, and surrogates in pairs. Numbers keep their exact value. Unless
/// the options refuse equal keys, `properties`, `patternProperties` and `additionalProperties` look at the value of
/// each of them, because readers differ in which one they take; other keywords see the last one. Immutable, so any
/// thread may read it.
public final class JSONDocument: Sendable {
    /// Limits, and what is refused.
    public struct Options: Sendable {
        /// The most levels of nested arrays and objects; at most 1024.
        public var depthLimit = 512
        /// The size of the largest text, in bytes; at most 1 GiB.
        public var sizeLimit = 256 << 20
        /// Whether a key that an object has twice is an error.
        public var refusesDuplicateKeys = false

        static let deepest = JSONParser.Options.deepest

        /// A depth limit of 512 and a size limit of 256 MiB.
        public init() {}

        var parser: JSONParser.Options {
            var options = JSONParser.Options()
            options.depthLimit = depthLimit
            options.sizeLimit = min(sizeLimit, 1 << 30)
            options.duplicateKeys = refusesDuplicateKeys ? .error : .lastWins
            return options
        }
    }

    private let tape: JSONTape

    var tokens: UnsafePointer<JSONToken> { tape.view.tokens }
    var bytes: UnsafePointer<UInt8> { tape.view.bytes }
    var tokenCount: Int { tape.count }

    /// Parses a text, which is copied.
    public init(_ text: UnsafeRawBufferPointer, options: Options = Options()) throws(JSONDocumentError) {
        do throws(JSONFailure) {
            tape = try JSONTape(text, options: options.parser)
        } catch {
            throw JSONDocumentError(error)
        }
    }

    /// Parses a text, which is copied.
    public init(_ text: [UInt8], options: Options = Options()) throws(JSONDocumentError) {
        do throws(JSONFailure) {
            tape = try text.span.withUnsafeBytes { bytes throws(JSONFailure) in
                try JSONTape(bytes, options: options.parser)
            }
        } catch {
            throw JSONDocumentError(error)
        }
    }

    /// Parses a text.
    public convenience init(_ text: String, options: Options = Options()) throws(JSONDocumentError) {
        try self.init(Array(text.utf8), options: options)
    }
}

/// The error for a text that is not valid JSON, or beyond a limit.
public struct JSONDocumentError: Error, Sendable, Hashable, CustomStringConvertible {
    /// Where, in bytes from the beginning.
    public let offset: Int
    /// What is wrong, without the text itself.
    public let reason: String
    /// Whether the text exceeds a limit, and may well be JSON.
    public var isLimit = false

    init(_ failure: JSONFailure, from start: Int = 0) {
        offset = start + failure.offset
        reason = failure.reason
        isLimit = failure.isLimit
    }

    /// `byte OFFSET: REASON`.
    public var description: String { "byte \(offset): \(reason)" }
}
