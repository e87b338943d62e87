import PlugboardKit

/// What an answer says of caching, read in one pass.
struct ResponseFacts: Sendable {
    /// When the answer expires (RFC 9111 §5.3).
    enum Expires: Sendable, Equatable {
        case at(HTTPDate)
        /// Not a date: it has expired.
        case past
    }

    let status: Int
    private(set) var directives = ResponseDirectives()
    /// Nil if it is missing or no date.
    private(set) var date: HTTPDate?
    /// Seconds; nil if it is missing or no number (RFC 9111 §5.1).
    private(set) var age: Int64?
    /// Nil if there is none.
    private(set) var expires: Expires?
    private(set) var lastModified: HTTPDate?
    private(set) var hasEntityTag = false

    /// - Parameters:
    ///   - isShared: Whether `CDN-Cache-Control` counts.
    ///   - now: What years of two digits are near to.
    init(status: Int, fields: Fields, isShared: Bool, now: HTTPDate) {
        self.status = status
        var targeted: [[UInt8]] = []
        for index in 0..<fields.count {
            fields.withField(index) { name, value in
                switch name.count {
                case 3: if age == nil, name.equals("age") { age = ResponseFacts.age(value) ?? -1 }
                case 4:
                    if date == nil, name.equals("date") { date = HTTPDate(value.trimmed, now: now) }
                    if name.equals("etag") { hasEntityTag = true }
                case 7:
                    if expires == nil, name.equals("expires") {
                        expires = HTTPDate(value.trimmed, now: now).map { .at($0) } ?? .past
                    }
                case 13:
                    if name.equals("cache-control") { directives.read(value) }
                    if lastModified == nil, name.equals("last-modified") {
                        lastModified = HTTPDate(value.trimmed, now: now)
                    }
                case 17: if isShared, name.equals("cdn-cache-control") { targeted.append(Array(value)) }
                default: break
                }
            }
        }
        // The first Age counts, and is as good as absent if it is no number (RFC 9111 §5.1).
        if age == -1 { age = nil }
        if !targeted.isEmpty, let own = ResponseDirectives(targeted: targeted) {
            directives = own
            expires = nil
        }
    }

    var hasValidator: Bool { hasEntityTag || lastModified != nil }

    /// Of a list, which Age is not, the first member counts (RFC 9111 §5.1).
    private static func age(_ value: UnsafeRawBufferPointer) -> Int64? {
        var list = FieldList(value)
        return list.next()?.deltaSeconds
    }

    /// Whether answers of this status may be kept without explicit freshness (RFC 9110 §15.1). A partial answer is one of them, but counts
    /// as the whole that it is a part of.
    var isHeuristicallyCacheable: Bool {
        switch status {
        case 200, 203, 204, 206, 300, 301, 308, 404, 405, 410, 414, 501: true
        default: false
        }
    }

    /// Whether what RFC 9110 §15 says of caching this status is all known here (RFC 9111 §3, §5.2.2.3).
    var isUnderstood: Bool {
        switch status {
        case 200...206, 300...305, 307, 308, 400...417, 421, 422, 426, 500...505: true
        default: false
        }
    }
}
