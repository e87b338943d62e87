public import PlugboardJSON

/// The error for a text that is not valid JSON, or for a JSON value that a type cannot decode, with its path.
public struct JSONDecodingError: Error, Sendable, Hashable {
    /// The path of the value; the root if the text is not valid.
    public let path: JSONPath
    /// One sentence without a full stop. It quotes keys, but no values, unless an error of the type quotes them.
    public let reason: String
    /// The position at which the text is not valid; nil if a value does not fit the type.
    public let position: JSONPosition?

    /// Creates an error at a path.
    public init(path: JSONPath, reason: String) {
        self.init(path: path, reason: reason, position: nil)
    }

    init(path: JSONPath, reason: String, position: JSONPosition?) {
        self.path = path
        self.reason = reason
        self.position = position
    }

    init(_ error: DecodingError) {
        switch error {
        case .typeMismatch(_, let context), .valueNotFound(_, let context), .dataCorrupted(let context):
            self.init(path: JSONPath(codingPath: context.codingPath), reason: context.debugDescription)
        case .keyNotFound(_, let context):
            self.init(path: JSONPath(codingPath: context.codingPath), reason: context.debugDescription)
        @unknown default:
            self.init(path: JSONPath(), reason: "the value cannot be decoded")
        }
    }
}

extension JSONDecodingError: CustomStringConvertible {
    /// `PATH: REASON`, or `line 2, column 5: REASON` if the text is not valid.
    public var description: String { "\(position.map { "\($0)" } ?? "\(path)"): \(reason)" }
}
