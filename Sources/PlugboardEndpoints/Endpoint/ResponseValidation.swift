import PlugboardCore
public import PlugboardJSON
public import PlugboardShapes
import PlugboardValidatorOptions

/// What the plugin `validator` checks the response of an endpoint against.
///
///     var validation: ResponseValidation? { .shape(["userId": .number, "nick": .optional(.string)]) }
public struct ResponseValidation: Sendable, Equatable {
    /// JSON, as the attributes have it.
    private let text: String

    /// What the settings of the plugin say.
    public static let configured = Self(text: "")

    /// A JSON Schema.
    public static func schema(_ schema: JSONValue) -> Self { Self(text: JSONWriter.write(schema)) }

    /// A shape, which is a short schema. One that is written as JSON is read by `Shape(_:)`.
    public static func shape(_ shape: Shape) -> Self {
        // Whatever draft the plugin's settings name for other schemas; a shape of any value is the only one without.
        var schema = shape.schema.objectValue ?? [:]
        schema["$schema"] = "https://json-schema.org/draft/2020-12/schema"
        return .schema(.object(schema))
    }

    func apply(to request: inout Request) { if !text.isEmpty { request.validator.schema = text } }

    /// The bytes of the attribute.
    var byteCount: Int { text.utf8.count }
}
