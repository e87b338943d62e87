import PlugboardCore
public import PlugboardJSON
import PlugboardValidatorOptions

/// What the plugin `validator` checks the response of an endpoint against.
///
///     var validation: ResponseValidation? { .shape(["userId": "number", "nick?": "string", "tags": ["string"]]) }
public struct ResponseValidation: Sendable, Equatable {
    /// JSON, as the attributes have it.
    private let text: String
    private let isShape: Bool

    /// A JSON Schema.
    public static func schema(_ schema: JSONValue) -> Self { Self(text: JSONWriter.write(schema), isShape: false) }

    /// A shape: kinds by the names of members, as in the plugin's README.
    public static func shape(_ shape: JSONValue) -> Self { Self(text: JSONWriter.write(shape), isShape: true) }

    func apply(to request: inout Request) {
        if isShape { request.validator.shape = text } else { request.validator.schema = text }
    }

    /// The bytes of the attribute.
    var byteCount: Int { text.utf8.count }
}
