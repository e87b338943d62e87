import PlugboardKit

/// What a request can say to the plugin `decode`.
public enum DecodeAttributes {
    public static let always = AttributeKey<Bool>(
        "decode", "always", "True decodes also what the request asked for by an Accept-Encoding of its own.")
    public static let limit = AttributeKey<ByteCount>(
        "decode", "limit", "Bytes that a body may decode to; more breaks it.")
}

extension Request {
    /// What the request says to the plugin `decode`; nil leaves it to the plugin's settings.
    public var decode: DecodeRequest {
        get { DecodeRequest(request: self) }
        set { self = newValue.request }
    }
}

/// A request as the plugin `decode` sees it: `request.decode.limit = .mebibytes(16)`.
public struct DecodeRequest: Sendable {
    fileprivate var request: Request

    /// True decodes also what the request asked for by an `Accept-Encoding` of its own.
    public var always: Bool? {
        get { request[DecodeAttributes.always] }
        set { request[DecodeAttributes.always] = newValue }
    }

    /// Bytes that the body may decode to; more breaks it with `body.decode`.
    public var limit: ByteCount? {
        get { request[DecodeAttributes.limit] }
        set { request[DecodeAttributes.limit] = newValue }
    }
}
