import PlugboardMessages
import Synchronization

/// Codecs, of which one is chosen by the content type of a response, or by name.
public struct CodecSet: Sendable, ExpressibleByArrayLiteral {
    /// The codecs of this process where none are named: by `Response.decode()`, by `Request(json:)` and in the settings
    /// of new clients. JSON first, then forms, texts and bytes.
    ///
    /// A program, and no library, sets them at its start, before it makes requests and clients:
    ///
    ///     CodecSet.standard.replace(with: .foundation())
    ///
    /// Forms and parameters, whose types JSON writes and reads too, follow the set's codec for JSON, but keep the keys
    /// of the type.
    public static var standard: CodecSet {
        get { shared.withLock { $0.set } }
        set {
            let json = newValue.codecs.lazy.compactMap { $0 as? JSONCodec }.first
            shared.withLock { $0 = Shared(set: newValue, json: json ?? JSONCodec()) }
        }
    }

    /// The codec for JSON of the standard set, or one without settings.
    package static var standardJSON: JSONCodec { shared.withLock { $0.json } }

    private struct Shared {
        var set: CodecSet
        var json: JSONCodec
    }

    private static let shared = Mutex(Shared(set: [.json, .form, .text, .raw], json: .json))

    /// In order: the first is used where the content type chooses none.
    public var codecs: [any Codec]

    /// Codecs in the order in which they are asked.
    public init(_ codecs: [any Codec]) { self.codecs = codecs }
    /// The codecs of a literal: `[.json, .text]`.
    public init(arrayLiteral codecs: any Codec...) { self.codecs = codecs }

    /// The first codec: for responses without a content type, or with one that no codec is for.
    public var first: (any Codec)? { codecs.first }

    /// Replaces the codec with the same name. Without such a codec, adds it at the end.
    public mutating func replace(with codec: any Codec) {
        if let index = codecs.firstIndex(where: { $0.name == codec.name }) {
            codecs[index] = codec
        } else {
            codecs.append(codec)
        }
    }

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
