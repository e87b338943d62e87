import PlugboardMessages
import Synchronization

/// A set of codecs, from which a codec is chosen by the content type of a response, or by name.
public struct CodecSet: Sendable, ExpressibleByArrayLiteral {
    /// The default codecs of this process, for `Response.decode()`, `Request(json:)` and the settings of new clients:
    /// JSON first, then forms, texts and bytes.
    ///
    /// Only a program should set them, not a library. Set them at the start, before requests and clients are made:
    ///
    ///     CodecSet.standard.replace(with: .foundation())
    ///
    /// Forms and parameters use the set's codec for JSON for the types that it reads and writes specially, but keep the
    /// keys of the type.
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

    /// The codecs in order: the first is used if the content type selects none.
    public var codecs: [any Codec]

    /// Creates a set; codecs are tried in this order.
    public init(_ codecs: [any Codec]) { self.codecs = codecs }
    /// Creates a set from a literal: `[.json, .text]`.
    public init(arrayLiteral codecs: any Codec...) { self.codecs = codecs }

    /// The first codec. It is used for responses without a content type, or with one that no codec supports.
    public var first: (any Codec)? { codecs.first }

    /// Replaces the codec with the same name. Without such a codec, adds it at the end.
    public mutating func replace(with codec: any Codec) {
        if let index = codecs.firstIndex(where: { $0.name == codec.name }) {
            codecs[index] = codec
        } else {
            codecs.append(codec)
        }
    }

    /// The codec with this name, or nil.
    public subscript(name: String) -> (any Codec)? { codecs.first { $0.name == name } }

    /// The codec that reads a body: the first that supports the content type and can make the type of value; otherwise
    /// the first that can make it, because many servers send JSON as `text/plain`. Nil if no codec can make a value of
    /// this type.
    public func codec<Value>(for contentType: String?, decoding type: Value.Type) -> (any Codec)? {
        if let contentType, let media = MediaType(contentType) {
            let fitting = codecs.first { $0.contentTypes.contains(where: media.matches) && $0.canDecode(type) }
            if let fitting { return fitting }
        }
        // A text or bytes can be made of any body.
        let exact = codecs.first { $0 is TextCodec && type == String.self || $0 is RawCodec && $0.canDecode(type) }
        return exact ?? codecs.first { $0.canDecode(type) }
    }
}
