import PlugboardJSON
import PlugboardMessages

extension Response {
    /// Reads the whole body and decodes it with the codec for its content type, or as JSON if there is no such codec.
    ///
    ///     let topics: [Topic] = try await response.decode()
    ///
    /// The codecs are those of `CodecSet.standard`. For types that are not `Decodable`, such as messages of Protocol
    /// Buffers, use a variant with a codec or a set.
    ///
    /// Throws `body.decode` if the body has another format or does not fit the type, `body.limit` if it is larger than
    /// the limit, and the error of the body if it fails.
    public nonisolated(nonsending) consuming func decode<Value: Decodable>(
        _ type: Value.Type = Value.self, upTo limit: ByteCount = .mebibytes(16)
    ) async throws(PlugboardError) -> Value {
        try await decode(type, among: .standard, upTo: limit)
    }

    /// Reads the whole body and decodes it with the codec of the set for its content type.
    ///
    /// Throws like `decode(_:upTo:)`, and `body.decode` if no codec of the set makes such values.
    public nonisolated(nonsending) consuming func decode<Value>(
        _ type: Value.Type = Value.self, among codecs: CodecSet, upTo limit: ByteCount = .mebibytes(16)
    ) async throws(PlugboardError) -> Value {
        let contentType = self[.contentType]
        guard let codec = codecs.codec(for: contentType, decoding: type) else {
            throw PlugboardError(.bodyDecode, "No codec of the set makes \(type). Add one that does.")
        }
        return try await decode(type, with: codec, upTo: limit)
    }

    /// Reads the whole body and decodes it with a codec, whatever the content type.
    ///
    /// Throws like `decode(_:upTo:)`.
    public nonisolated(nonsending) consuming func decode<Value>(
        _ type: Value.Type = Value.self, with codec: some Codec, upTo limit: ByteCount = .mebibytes(16)
    ) async throws(PlugboardError) -> Value {
        let contentType = self[.contentType]
        let bytes = try await body.collect(upTo: limit)
        do throws(PlugboardError) {
            return try codec.decode(type, from: bytes, contentType: contentType)
        } catch {
            throw Response.told(error, contentType, codec)
        }
    }

    /// Reads the whole body as JSON, whatever the content type.
    ///
    /// Throws like `decode(_:upTo:)`.
    public nonisolated(nonsending) consuming func json(
        upTo limit: ByteCount = .mebibytes(16)
    ) async throws(PlugboardError) -> JSONValue {
        try await decode(JSONValue.self, with: .json, upTo: limit)
    }

    /// Reads the whole body as text, in the charset of the byte order mark or the content type, otherwise in UTF-8.
    /// Invalid bytes become U+FFFD.
    ///
    /// Throws `body.decode` if the system cannot read the charset, and like `decode(_:upTo:)`.
    public nonisolated(nonsending) consuming func text(
        upTo limit: ByteCount = .mebibytes(16)
    ) async throws(PlugboardError) -> String {
        let contentType = self[.contentType]
        return try Charset.text(of: try await body.collect(upTo: limit), contentType: contentType)
    }

    /// An error of a codec, with the content type if the codec does not list it: that is the most frequent cause.
    private static func told(_ error: PlugboardError, _ contentType: String?, _ codec: any Codec) -> PlugboardError {
        guard let contentType, let media = MediaType(contentType),
            !codec.contentTypes.contains(where: media.matches)
        else { return error }
        var error = error
        error.reason += " The response has the content type \(media.name), and was read as \(codec.name)."
        return error
    }
}
