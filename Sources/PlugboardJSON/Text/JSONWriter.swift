/// Writes JSON texts (RFC 8259): numbers with their original text, strings in UTF-8 with only the necessary escapes.
public struct JSONWriter: Sendable {
    /// The form of the text.
    public struct Options: Sendable {
        /// One member or element in each line, indented by two spaces, without a newline at the end.
        public var pretty = false
        /// Sorts the keys of all objects by code points.
        public var sortedKeys = false
        /// Writes `\/` for `/`, for texts inside HTML's script elements.
        public var escapesSlashes = false

        /// Compact text in the order of the members, unless options are given.
        public init(pretty: Bool = false, sortedKeys: Bool = false, escapesSlashes: Bool = false) {
            self.pretty = pretty
            self.sortedKeys = sortedKeys
            self.escapesSlashes = escapesSlashes
        }
    }

    /// A kind of token in the written text.
    public enum Token: Sendable, Hashable, CaseIterable {
        /// A key with its quotes.
        case key
        /// A string with its quotes.
        case string
        /// A number with the digits of the value's text.
        case number
        /// `true`, `false` or `null`.
        case word
        /// A bracket, comma or colon. White space of pretty printing is not a token.
        case punctuation
    }

    /// Receives the text of a token and returns the text to write, for example with colours around it.
    public typealias Style = (_ token: Token, _ text: String) -> String

    /// Returns the text in UTF-8.
    public static func write(_ value: JSONValue, options: Options = Options()) -> [UInt8] {
        var output = JSONOutput(options: options, style: nil)
        output.append(value, indentation: 0)
        return output.bytes
    }

    /// Returns the text.
    public static func write(_ value: JSONValue, options: Options = Options()) -> String {
        String(decoding: write(value, options: options) as [UInt8], as: UTF8.self)
    }

    /// Returns the text with the style applied to its tokens, in their order.
    public static func write(_ value: JSONValue, options: Options = Options(), style: Style) -> String {
        withoutActuallyEscaping(style) { style in
            var output = JSONOutput(options: options, style: style)
            output.append(value, indentation: 0)
            return String(decoding: output.bytes, as: UTF8.self)
        }
    }
}
