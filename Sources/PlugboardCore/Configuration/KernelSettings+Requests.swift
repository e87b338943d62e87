import PlugboardBorder

/// Header fields by their names; printed without the values of secret ones.
struct HeaderDefaults: Sendable, Equatable {
    var values: [String: String] = [:]

    /// The fields, sorted by name.
    var fields: Fields {
        var fields = Fields()
        for (name, value) in values.sorted(by: { $0.key < $1.key }) { fields.append(FieldName(name), value) }
        return fields
    }
}

extension HeaderDefaults: CustomReflectable {
    var customMirror: Mirror { fields.customMirror }
}

/// What the kernel's settings add to each request of the program.
struct RequestDefaults: Sendable {
    private let baseURL: String?
    private let fields: [(name: FieldName, value: String)]

    /// Nil if they add nothing.
    init?(_ settings: KernelSettings) {
        guard settings.baseURL != nil || !settings.headers.isEmpty else { return nil }
        baseURL = settings.baseURL
        fields = HeaderDefaults(values: settings.headers).fields.map { (FieldName($0.name), $0.value) }
    }

    /// The request with an absolute URL and the fields that it does not have.
    func complete(_ request: Request) -> Request {
        var request = request
        request.url = url(request.url)
        let own = Set(request.fields.map { FieldName($0.name) })
        for (name, value) in fields where own.isEmpty || !own.contains(name) { request.fields.append(name, value) }
        return request
    }

    /// Resolves a URL of the program. A URL that cannot be resolved stays, and its exchange fails with the transport's
    /// error.
    func url(_ url: String) -> String {
        guard let baseURL, URLParts(url)?.scheme == nil else { return url }
        return URLParts.resolve(url, against: baseURL, normalizing: false) ?? url
    }
}

extension KernelSettings {
    /// Whether this is an absolute URL of http or https, without a user.
    package static func isBaseURL(_ url: String) -> Bool {
        Origin(url: url) != nil && URLParts(url)?.userinfo == nil && URLParts.resolve("", against: url) != nil
    }

    /// Whether this is a token (RFC 9110 §5.1) that belongs neither to one message alone nor to a connection (§7.6.1).
    package static func isHeaderName(_ name: String) -> Bool {
        guard !name.isEmpty, name.utf8.allSatisfy(FieldName.isTokenByte) else { return false }
        let messageFields: [FieldName] = [
            .host, .contentLength, .connection, "Transfer-Encoding", "Keep-Alive", "Proxy-Connection", "TE", "Trailer",
            "Upgrade", "Expect",
        ]
        return !messageFields.contains(FieldName(name))
    }

    /// Whether a field can be sent with this value (RFC 9110 §5.5).
    package static func isHeaderValue(_ value: String) -> Bool {
        !value.utf8.contains { $0 == 0 || $0 == 0x0A || $0 == 0x0D }
    }

    /// Headers that cannot be sent, and those that are given twice, by name. Each error is the end of a
    /// sentence.
    var errorsOfHeaders: [(name: String, reason: String)] {
        var known: Set<FieldName> = []
        return headers.sorted { $0.key < $1.key }.compactMap { name, value in
            guard KernelSettings.isHeaderName(name) else {
                return (name, "is not the name of a header field that requests can have")
            }
            guard KernelSettings.isHeaderValue(value) else { return (name, "must be a string without line breaks") }
            return known.insert(FieldName(name)).inserted
                ? nil : (name, "is given twice, written differently; keep one")
        }
    }
}
