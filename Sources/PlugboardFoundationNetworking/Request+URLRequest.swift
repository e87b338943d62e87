import Foundation
public import FoundationNetworking
public import PlugboardMessages

extension Request {
    /// The request that a `URLRequest` describes.
    ///
    /// - `url`, `httpMethod` and `allHTTPHeaderFields` are the same here. The fields are in the order of their names,
    ///   because Foundation keeps no order.
    /// - `httpBody` is a body that can be sent again, `httpBodyStream` one that cannot. The length of a stream is the
    ///   value of the field `Content-Length`, if there is one.
    /// - `timeoutInterval` is `options.idleTimeout`, which has the same meaning. Foundation's default of 60 seconds
    ///   leaves it to the kernel's configuration.
    /// - `cachePolicy` is the field `Cache-Control`, which the plugin `cache` obeys, unless the request has one:
    ///   `no-cache` for the policies that reload or revalidate, `max-stale` for `returnCacheDataElseLoad`, and
    ///   `only-if-cached, max-stale` for `returnCacheDataDontLoad`.
    /// - If `httpShouldHandleCookies` is false, the attributes `cookies.send` and `cookies.store` are `false`. They
    ///   need the plugin `cookies`.
    ///
    /// `mainDocumentURL`, `networkServiceType`, `allowsCellularAccess` and `httpShouldUsePipelining` have no
    /// counterpart. Throws `request.url` if there is no URL.
    public init(_ request: URLRequest) throws(PlugboardError) {
        guard let url = request.url else {
            throw PlugboardError(.requestURL, "The URLRequest has no URL. Set an absolute http or https URL.")
        }
        self.init(Method(request.httpMethod ?? "GET"), url.absoluteString)
        let given = request.allHTTPHeaderFields ?? [:]
        for (name, value) in given.sorted(by: { $0.key < $1.key }) { fields.append(FieldName(name), value) }
        if let data = request.httpBody {
            body = .data(data)
        } else if let stream = request.httpBodyStream {
            body = .stream(stream, length: fields[.contentLength].flatMap { Int($0) }.flatMap { $0 >= 0 ? $0 : nil })
        }
        // The kernel writes the length of the body itself.
        if body != nil { fields.remove(.contentLength) }
        if request.timeoutInterval > 0, request.timeoutInterval != Request.foundationTimeout {
            options.idleTimeout = .seconds(min(request.timeoutInterval, Request.longestTimeout))
        }
        if let directive = request.cachePolicy.directive, fields[.cacheControl] == nil {
            fields[.cacheControl] = directive
        }
        if !request.httpShouldHandleCookies {
            attributes["cookies.send"] = "false"
            attributes["cookies.store"] = "false"
        }
    }

    /// The `timeoutInterval` of a `URLRequest` for which none was set.
    fileprivate static let foundationTimeout: TimeInterval = 60
    /// A year, so that every interval can be expressed as a duration.
    private static let longestTimeout: TimeInterval = 31_536_000
}

extension URLRequest {
    /// The request as a `URLRequest`, with its body in memory.
    ///
    /// Fields of one name are joined by commas. `options.idleTimeout` becomes `timeoutInterval`; the attributes
    /// `cookies.send` and `cookies.store`, if both are `false`, become `httpShouldHandleCookies`. Other options and
    /// attributes have no counterpart. The original request's body is not consumed if it can be copied, as bytes and
    ///
    /// Throws `request.url` if Foundation cannot read the URL, `body.limit` if the body is larger than `limit`, and the
    /// error of a body that breaks.
    public init(_ request: Request, upTo limit: ByteCount = .mebibytes(64)) async throws(PlugboardError) {
        guard let url = URL(string: request.url) else {
            throw PlugboardError(.requestURL, "Foundation cannot read the request's URL. Percent-encode it.")
        }
        self.init(url: url)
        httpMethod = request.method.name
        for field in request.fields { addValue(field.value, forHTTPHeaderField: field.name) }
        if let body = request.body {
            let copy = body.source.copy().map { Body($0) } ?? body
            httpBody = Data(try await copy.collect(upTo: limit))
        }
        if let timeout = request.options.idleTimeout { timeoutInterval = timeout / .seconds(1) }
        if request.attributes["cookies.send"] == "false", request.attributes["cookies.store"] == "false" {
            httpShouldHandleCookies = false
        }
    }
}

extension URLRequest.CachePolicy {
    /// The value of `Cache-Control` in a request (RFC 9111 §5.2.1); nil for the usual rules of the RFC.
    fileprivate var directive: String? {
        switch self {
        case .reloadIgnoringLocalCacheData, .reloadIgnoringLocalAndRemoteCacheData, .reloadRevalidatingCacheData:
            "no-cache"
        case .returnCacheDataElseLoad: "max-stale"
        case .returnCacheDataDontLoad: "only-if-cached, max-stale"
        default: nil
        }
    }
}
