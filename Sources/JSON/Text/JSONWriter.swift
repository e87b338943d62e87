/// Writes JSON texts (RFC 8259): numbers as they were written, strings in UTF-8 with only the necessary escapes.
public struct JSONWriter: Sendable {
    public struct Options: Sendable {
        /// One member or element a line, indented by two spaces; no newline at the end.
        public var pretty = false
        /// By code points, at every level.
        public var sortedKeys = false
        /// Writes `\/` for `/`, as HTML's script elements want it.
        public var escapesSlashes = false

        public init(pretty: Bool = false, sortedKeys: Bool = false, escapesSlashes: Bool = false) {
            self.pretty = pretty
            self.sortedKeys = sortedKeys
            self.escapesSlashes = escapesSlashes
        }
    }

    /// What a piece of the written text is.
    public enum Token: Sendable, Hashable, CaseIterable {
        /// With its quotes.
        case key
        /// With its quotes.
        case string
        case number
        /// `true`, `false` or `null`.
        case word
        /// A bracket, comma or colon. The space of pretty printing is no token.
        case punctuation
    }

    /// Gets each token as it would be written, and returns what is to be written, perhaps with colours around it.
    public typealias Style = (_ token: Token, _ text: String) -> String

    public static func write(_ value: JSONValue, options: Options = Options()) -> [UInt8] {
        var output = JSONOutput(options: options, style: nil)
        output.append(value, indentation: 0)
        return output.bytes
    }

    public static func write(_ value: JSONValue, options: Options = Options()) -> String {
        String(decoding: write(value, options: options) as [UInt8], as: UTF8.self)
    }

    /// The style sees the tokens in the order in which they are written.
    public static func write(_ value: JSONValue, options: Options = Options(), style: Style) -> String {
        withoutActuallyEscaping(style) { style in
            var output = JSONOutput(options: options, style: style)
            output.append(value, indentation: 0)
            return String(decoding: output.bytes, as: UTF8.self)
        }
    }
}
