import PlugboardCore
public import PlugboardJSON
import PlugboardValidatorOptions

/// The schema or shape that the plugin `validator` checks the response of an endpoint against.
///
///     var validation: ResponseValidation? { .shape(["userId": .number, "nick": .optional(.string)]) }
public struct ResponseValidation: Sendable, Equatable {
    /// The JSON text of the attribute.
    private let text: String

    /// The settings of the plugin decide.
    public static let configured = Self(text: "")

    /// A JSON Schema.
    public static func schema(_ schema: JSONValue) -> Self { Self(text: JSONWriter.write(schema)) }

    /// A shape, which is a short schema. `Shape(_:)` reads a shape that is written as JSON.
    public static func shape(_ shape: Shape) -> Self {
        // The draft is fixed, whatever the settings of the plugin name. Only the shape of any value is not an object.
        var schema = shape.schema.objectValue ?? [:]
        schema["$schema"] = "https://json-schema.org/draft/2020-12/schema"
        return .schema(.object(schema))
    }

    func apply(to request: inout Request) { if !text.isEmpty { request.validator.schema = text } }

    /// The number of bytes of the attribute.
    var byteCount: Int { text.utf8.count }
}
