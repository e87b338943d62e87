import CPlugboardYAML
public import PlugboardEndpoints
public import PlugboardJSON
public import PlugboardMessages

/// Reads YAML 1.2 (core schema) as a JSON value, for the readers of configurations and definitions.
///
///     let definitions = try Definitions.file("api.yaml", formats: [.yaml])
///     let value = try YAMLDocument.parse(bytes)
///
/// `no` and `on` are texts, and so are dates and numbers with a leading zero, which YAML 1.1 and 1.2 interpret
/// differently. Keys are texts: `200:` is `"200"`. Anchors, aliases and merge keys (`<<`) are supported.
public enum YAMLDocument {
    /// Limits of a document.
    public struct Limits: Sendable {
        /// The size of the largest document, in bytes.
        public var size = 32 << 20
        /// The most values, including those that aliases repeat.
        public var values = 4_000_000
        /// The most nested levels of values.
        public var depth = 512

        /// The default limits.
        public init() {}
    }

    /// The value of a document. Blocks; must not be called on an event loop's thread.
    ///
    /// - Parameter name: The file's name in errors.
    /// - Throws: `configuration`, with line and column, for a text that is not YAML, a duplicate key in a mapping, a
    ///   key that is not a text, a number that JSON does not support, and a document that exceeds a limit.
    public static func parse(
        _ bytes: [UInt8], name: String? = nil, limits: Limits = Limits()
    ) throws(PlugboardError) -> JSONValue {
        do throws(YAMLFailure) {
            guard bytes.count <= limits.size else {
                throw YAMLFailure("is larger than \(limits.size) bytes")
            }
            return try bytes.withUnsafeBufferPointer { bytes throws(YAMLFailure) in
                try YAMLReader.value(of: bytes, limits)
            }
        } catch {
            let place = error.line.map { ", line \($0), column \(error.column ?? 1)" } ?? ""
            throw PlugboardError(
                .configuration, "\(name.map { Printable.text($0) } ?? "The YAML document")\(place): \(error.reason).")
        }
    }
}

extension DocumentFormat {
    /// YAML: files that end with `.yaml` or `.yml`, and the media types of YAML.
    public static let yaml = DocumentFormat(
        endings: ["yaml", "yml"], types: ["application/yaml", "application/x-yaml", "text/yaml", "text/x-yaml"]
    ) { bytes, name throws(PlugboardError) in try YAMLDocument.parse(bytes, name: name) }
}

/// An error in a document, with its place.
struct YAMLFailure: Error {
    /// The end of a sentence about the document.
    let reason: String
    /// The line, counted from 1.
    let line: Int?
    let column: Int?

    init(_ reason: String, line: Int? = nil, column: Int? = nil) {
        self.reason = reason
        self.line = line
        self.column = column
    }

    init(_ reason: String, at mark: yaml_mark_t) { self.init(reason, line: mark.line + 1, column: mark.column + 1) }

    /// The failure of a parser of libyaml.
    init(_ parser: yaml_parser_t, in bytes: UnsafeBufferPointer<UInt8>) {
        let reason = "cannot be read" + (parser.problem.map { ": \(String(cString: $0))" } ?? "")
        guard parser.error == YAML_READER_ERROR else {
            self.init(reason, at: parser.problem_mark)
            return
        }
        // The error for an invalid byte has an offset, but no line.
        let before = bytes.prefix(parser.problem_offset)
        let column = before.count - (before.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0) + 1
        self.init(reason, line: before.count { $0 == UInt8(ascii: "\n") } + 1, column: column)
    }
}
