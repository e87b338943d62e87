import PlugboardMessages

/// The known facts about the representation in a response.
public struct Representation: Sendable, Equatable {
    /// The validator; nil if the server sent no strong one.
    public var validator: StrongValidator?
    /// The number of bytes on the wire, with content codings; nil if it is unknown.
    public var length: Int?
    /// The content codings, in lower case and joined by commas; empty if there are none.
    public var coding: String
    /// False if the server said `Accept-Ranges: none` (RFC 9110 §14.3).
    public var acceptsRanges: Bool
    /// The entity tag and the date of modification as the server sent them, including weak ones.
    public var marks: [String]

    /// Creates it from the values in a journal.
    public init(
        validator: StrongValidator?, length: Int?, coding: String, acceptsRanges: Bool = true, marks: [String] = []
    ) {
        self.validator = validator
        self.length = length
        self.coding = coding
        self.acceptsRanges = acceptsRanges
        self.marks = marks
    }

    /// The description of the whole representation by a response.
    ///
    /// - Parameters:
    ///   - status: A proxy that sends 203 has changed the bytes, so that the origin's validator is not theirs (RFC 9110
    ///     §15.3.4). Only 200 and 206 have a validator.
    ///   - length: The length of the whole representation.
    public init(status: Int, fields: Fields, length: Int?) {
        validator = status == 200 || status == 206 ? StrongValidator(fields) : nil
        self.length = length
        coding = Representation.coding(fields)
        acceptsRanges = !fields.values(.acceptRanges).contains {
            Array($0.utf8)[...].trimmed.isText("none")
        }
        marks = Representation.marks(fields)
    }

    static func marks(_ fields: Fields) -> [String] { fields.values(.etag) + fields.values(.lastModified) }

    static func coding(_ fields: Fields) -> String {
        var codings: [String] = []
        for value in fields.values(.contentEncoding) {
            for member in Array(value.utf8).split(separator: UInt8(ascii: ",")) {
                let name = String(decoding: member.trimmed, as: UTF8.self).lowercased()
                if !name.isEmpty && name != "identity" { codings.append(name) }
            }
        }
        return codings.joined(separator: ",")
    }
}
