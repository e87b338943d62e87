import PlugboardMessages

/// Codecs, of which one is chosen by the content type of a response, or by name.
public struct CodecSet: Sendable, ExpressibleByArrayLiteral {
    /// JSON first, then forms, texts and bytes.
    public static let standard: CodecSet = [.json, .form, .text, .raw]

    /// In order: the first is used where the content type chooses none.
    public var codecs: [any Codec]

    /// Codecs in the order in which they are asked.
    public init(_ codecs: [any Codec]) { self.codecs = codecs }
    /// The codecs of a literal: `[.json, .text]`.
    public init(arrayLiteral codecs: any Codec...) { self.codecs = codecs }

    /// The first codec: for responses without a content type, or with one that no codec is for.
    public var first: (any Codec)? { codecs.first }

    /// The codec of this name, or nil.
    public subscript(name: String) -> (any Codec)? { codecs.first { $0.name == name } }

    /// The codec that reads a body: the first that is for the content type and can make the type of value; else the
    /// first that can make it. Many servers send JSON as `text/plain`, and JSON is then the first that can. Nil if no
    /// codec can make a value of this type.
    public func codec<Value>(for contentType: String?, decoding type: Value.Type) -> (any Codec)? {
        if let contentType, let media = MediaType(contentType) {
            let fitting = codecs.first { $0.contentTypes.contains(where: media.matches) && $0.canDecode(type) }
            if let fitting { return fitting }
        }
        // A text or bytes can be made of any body, which is what is asked for.
        let exact = codecs.first { $0 is TextCodec && type == String.self || $0 is RawCodec && $0.canDecode(type) }
        return exact ?? codecs.first { $0.canDecode(type) }
    }
}
