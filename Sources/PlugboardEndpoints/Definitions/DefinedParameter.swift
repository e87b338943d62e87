public import PlugboardJSON

/// A parameter of a definition: its allowed values, and its place in the request.
public struct DefinedParameter: Sendable {
    /// The part of a request that contains a parameter.
    public enum Place: String, Sendable, CaseIterable {
        /// The placeholder with its name.
        case path
        /// The query.
        case query
        /// A header field.
        case header
        /// A cookie of the field `Cookie`.
        case cookie
        /// A member of the body.
        case body
    }

    /// The kind of values that a parameter accepts.
    public enum Kind: String, Sendable, CaseIterable {
        /// Any value.
        case any
        /// A text.
        case string
        /// A number without a fraction.
        case integer
        /// A number.
        case number
        /// True or false.
        case boolean
        /// A list.
        case array
        /// An object.
        case object
        /// The path of a file that is sent as a part of multipart/form-data.
        case file
    }

    /// How lists and objects are written, named as in OpenAPI.
    public enum Style: String, Sendable, CaseIterable {
        /// `a,b`, for paths and header fields (RFC 6570 §3.2.2).
        case simple
        /// `.a.b`, for paths (RFC 6570 §3.2.5).
        case label
        /// `;name=a;name=b`, for paths (RFC 6570 §3.2.7).
        case matrix
        /// `name=a&name=b`, for queries and cookies (RFC 6570 §3.2.8).
        case form
        /// `name=a%20b`, for queries.
        case spaceDelimited
        /// `name=a%7Cb`, for queries.
        case pipeDelimited
        /// `name[key]=value`, for queries.
        case deepObject
        /// JSON.
        case json
    }

    /// The name by which a program or a command line gives the parameter.
    public internal(set) var name: String
    /// The name in the request: that of the placeholder, field, cookie or member.
    public var sentName: String
    /// The place in the request; nil for the query or the body, depending on the method.
    public var place: Place?
    /// The kind of its value.
    public var kind = Kind.any
    /// The kind of the elements, if the value is a list.
    public var elementKind = Kind.any
    /// The only values that are allowed; empty for all.
    public var values: [JSONValue] = []
    /// Whether null is allowed too.
    public var takesNull = false
    /// Whether a call must give it. Path parameters are always required.
    public var isRequired = false
    /// The value that is sent if a call gives none; nil for nothing.
    public var fallback: JSONValue?
    /// How lists and objects are written; nil for the client's style of parameters.
    public var style: Style?
    /// Whether each element or member is written separately; nil for the default of the style: true for `form` and
    /// `deepObject`.
    public var explodes: Bool?
    /// Whether characters that have a meaning in URLs, such as `/` and `?`, are sent as they are (RFC 6570 §3.2.3).
    public var allowsReserved = false
    /// The media type of its part of multipart/form-data; nil for that of its value.
    public var contentType: String?
    /// One line for people.
    public var documentation = ""
    /// Whether the server's documentation advises against it.
    public var isDeprecated = false

    /// Creates a parameter that is sent under its own name.
    public init(_ name: String, _ place: Place? = nil) {
        self.name = name
        self.sentName = name
        self.place = place
    }
}

extension DefinedParameter {
    /// The error of a value, as the end of a sentence that begins with the parameter; nil if the value is allowed. Does
    /// not contain the value, because it may be secret.
    func error(in value: JSONValue) -> String? {
        if value.isNull && takesNull { return nil }
        guard kind.takes(value) else { return "must be \(kind.words), not \(value.kind)" }
        if case .array(let elements) = value,
            let index = elements.firstIndex(where: { !elementKind.takes($0) })
        {
            return "must be a list of \(elementKind.plural), but element \(index) is \(elements[index].kind)"
        }
        if !values.isEmpty, !values.contains(value) {
            let known = values.map { $0.stringValue ?? $0.description }
            if let text = value.stringValue, let near = Spelling.nearest(text, in: known) {
                return "is not one of its values; did you mean \(near)?"
            }
            return "must be one of \(known.prefix(20).joined(separator: ", "))"
        }
        return nil
    }
}

extension DefinedParameter.Kind {
    func takes(_ value: JSONValue) -> Bool {
        switch (self, value) {
        case (.any, _), (.string, .string), (.file, .string), (.number, .number), (.boolean, .bool), (.array, .array),
            (.object, .object):
            true
        case (.integer, .number(let number)): number.isInteger
        default: false
        }
    }

    var words: String {
        switch self {
        case .any: "a value"
        case .string: "a string"
        case .integer: "a whole number"
        case .number: "a number"
        case .boolean: "true or false"
        case .array: "a list"
        case .object: "an object"
        case .file: "the path of a file"
        }
    }

    var plural: String {
        switch self {
        case .any: "values"
        case .string: "strings"
        case .integer: "whole numbers"
        case .number: "numbers"
        case .boolean: "booleans"
        case .array: "lists"
        case .object: "objects"
        case .file: "paths of files"
        }
    }
}
