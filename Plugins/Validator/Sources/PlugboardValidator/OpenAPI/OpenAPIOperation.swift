import PlugboardKit

/// An operation of an OpenAPI document at one of its servers, with its schemas.
struct OpenAPIOperation: Sendable {
    /// The statuses of a response: one, a class, or `default` for those that no other response is for.
    enum Statuses: Sendable {
        case one(Int), range(Int), others

        init?(_ text: String) {
            let bytes = Array(text.utf8)
            if text == "default" {
                self = .others
            } else if bytes.count == 3, (0x31...0x35).contains(bytes[0]), bytes[1] | 0x20 == UInt8(ascii: "x"),
                bytes[2] | 0x20 == UInt8(ascii: "x")
            {
                self = .range(Int(bytes[0] - 0x30))
            } else if bytes.count == 3, let status = Int(text), (100...599).contains(status) {
                self = .one(status)
            } else {
                return nil
            }
        }

        /// Smaller for more specific statuses; nil if the status is not among them.
        func rank(_ status: Int) -> Int? {
            switch self {
            case .one(let own): own == status ? 0 : nil
            case .range(let hundreds): hundreds == status / 100 ? 1 : nil
            case .others: 2
            }
        }
    }

    /// The schema of a body.
    struct Schema: Sendable {
        /// Nil for a request's body.
        let statuses: Statuses?
        let type: MediaRange
        /// JSON that refers to the schema in the document.
        let text: String
    }

    let method: String
    /// The origin of the requests, where `*` matches any characters; nil matches every origin.
    let origin: Wildcard?
    /// The path of the server and that of the operation, in parts; `*` stands for any characters.
    let segments: [Wildcard]
    let schemas: [Schema]

    init(method: String, server: String, path: String, schemas: [Schema]) {
        self.method = method
        self.schemas = schemas
        var server = OpenAPIOperation.pattern(server)[...]
        while server.last == UInt8(ascii: "/") { server = server.dropLast() }
        let mark = Array("://".utf8)
        let authority = server.indices.first { server[$0...].starts(with: mark) }.map { $0 + mark.count }
        if let authority {
            let end = server[authority...].firstIndex(of: UInt8(ascii: "/")) ?? server.endIndex
            let own = OpenAPIOperation.origin(String(decoding: server[..<end], as: UTF8.self))
            origin = Wildcard(String(decoding: own, as: UTF8.self))
            server = server[end...]
        } else {
            origin = nil
        }
        let whole = server + OpenAPIOperation.pattern(path)
        segments = OpenAPIOperation.segments(whole).map { Wildcard(String(decoding: $0, as: UTF8.self)) }
    }

    /// A template with `*` for each `{name}`.
    private static func pattern(_ template: String) -> [UInt8] {
        var pattern: [UInt8] = []
        var isName = false
        for byte in template.utf8 {
            switch byte {
            case UInt8(ascii: "{"):
                if !isName { pattern.append(UInt8(ascii: "*")) }
                isName = true
            case UInt8(ascii: "}") where isName: isName = false
            default: if !isName { pattern.append(byte) }
            }
        }
        return pattern
    }

    static func segments(_ path: some Collection<UInt8>) -> [[UInt8]] {
        path.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).dropFirst().map { Array($0) }
    }

    /// Scheme, host and port of a URL in the form in which they are compared.
    static func origin(_ url: String) -> [UInt8] {
        let bytes = URLWildcard.comparable(url) ?? Array(url.utf8)
        let slash = UInt8(ascii: "/")
        guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")), bytes.count > colon + 3 else { return bytes }
        return Array(bytes[..<(bytes[(colon + 3)...].firstIndex(of: slash) ?? bytes.endIndex)])
    }

    /// Whether each part is fixed, because OpenAPI prefers paths without templates.
    var fixedParts: [Bool] { segments.map { $0.literal != nil } }

    func applies(_ origin: [UInt8], _ segments: [[UInt8]]) -> Bool {
        if let own = self.origin, !own.matches(origin) { return false }
        return zip(self.segments, segments).allSatisfy { pattern, segment in
            (!segment.isEmpty || pattern.text.isEmpty) && pattern.matches(segment)
        }
    }

    /// The schema of a body: of a request, or of a response with this status.
    func schema(status: Int?, type: String) -> String? {
        var best: (rank: (Int, Int), text: String)?
        for schema in schemas {
            guard let typeRank = schema.type.rank(type) else { continue }
            var statusRank = 0
            switch (schema.statuses, status) {
            case (nil, nil): break
            case (let statuses?, let status?):
                guard let rank = statuses.rank(status) else { continue }
                statusRank = rank
            default: continue
            }
            if best.map({ (statusRank, typeRank) < $0.rank }) ?? true { best = ((statusRank, typeRank), schema.text) }
        }
        return best?.text
    }
}

/// A media type, or a range of them such as `application/*`.
struct MediaRange: Sendable {
    private let essence: String

    init(_ text: String) { essence = MediaRange.essence(text) }

    /// Type and subtype in lowercase, without parameters.
    static func essence(_ text: String) -> String {
        let bytes = text.utf8.prefix { $0 != UInt8(ascii: ";") && $0 != UInt8(ascii: " ") }
        return String(decoding: bytes.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }, as: UTF8.self)
    }

    /// `application/json`, and types that end with `+json`.
    static func isJSON(_ essence: String) -> Bool {
        essence == "application/json" || essence.utf8.suffix(5).elementsEqual("+json".utf8)
    }

    /// Smaller for a more specific range; nil if the type is not in the range.
    func rank(_ type: String) -> Int? {
        if essence == type { return 0 }
        if essence == "*/*" { return 2 }
        guard essence.utf8.suffix(2).elementsEqual("/*".utf8) else { return nil }
        return type.utf8.starts(with: essence.utf8.dropLast()) ? 1 : nil
    }
}
