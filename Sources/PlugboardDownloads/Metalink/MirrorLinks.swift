import PlugboardMessages

/// What the `Link` fields of a response say of other servers of its file (RFC 6249).
public struct MirrorLinks: Sendable, Equatable {
    /// Whether the response itself is a Metalink document.
    public let isMetalink: Bool
    /// The URL of a Metalink document about the file (`rel=describedby`); nil without one.
    public private(set) var metalink: String?
    /// URLs of the same file (`rel=duplicate`), the preferred first.
    public private(set) var duplicates: [String] = []

    private static let limit = 100

    /// - Parameter url: The URL of the response, which relative references are resolved against.
    public init(_ response: ResponseHead, url: String) {
        let kind = (response.fields[.contentType] ?? "").utf8.prefix { !"; \t".utf8.contains($0) }
        isMetalink = String(decoding: Array(kind), as: UTF8.self).lowercased() == Metalink.contentType
        let own = URLParts.resolve("", against: url)
        var found: [(priority: Int, url: String)] = []
        for value in response.fields.values("Link") {
            for link in MirrorLinks.links(Array(value.utf8)) {
                // With an anchor, it says something of another document (RFC 8288 §3.2).
                if let anchor = link["anchor"], URLParts.resolve(anchor, against: url) != own { continue }
                guard found.count < MirrorLinks.limit, let url = URLParts.resolve(link.target, against: url),
                    let scheme = URLParts(url)?.scheme?.lowercased(), scheme == "http" || scheme == "https"
                else { continue }
                let relations = (link["rel"] ?? "").lowercased().split(separator: " ")
                if relations.contains("duplicate") {
                    found.append((link["pri"].flatMap { Int($0) } ?? 999_999, url))
                } else if relations.contains("describedby"), metalink == nil,
                    link["type"]?.lowercased() == Metalink.contentType
                {
                    metalink = url
                }
            }
        }
        duplicates = found.enumerated().sorted { ($0.element.priority, $0.offset) < ($1.element.priority, $1.offset) }
            .map { $0.element.url }
    }

    private struct Link {
        let target: String
        var parameters: [(name: String, value: String)] = []
        subscript(name: String) -> String? { parameters.first { $0.name == name }?.value }
    }

    /// `<TARGET>; name=value; name="value", …` (RFC 8288 §3). The rest after a mistake is not read.
    private static func links(_ bytes: [UInt8]) -> [Link] {
        var links: [Link] = []
        var index = 0
        func skip(_ wanted: (UInt8) -> Bool) { while index < bytes.count, wanted(bytes[index]) { index += 1 } }
        func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }
        func text(_ range: Range<Int>) -> String { String(decoding: bytes[range], as: UTF8.self) }
        while true {
            skip { isSpace($0) || $0 == UInt8(ascii: ",") }
            guard index < bytes.count, bytes[index] == UInt8(ascii: "<") else { return links }
            let start = index + 1
            skip { $0 != UInt8(ascii: ">") }
            guard index < bytes.count else { return links }
            var link = Link(target: text(start..<index))
            index += 1
            while true {
                skip(isSpace)
                guard index < bytes.count, bytes[index] == UInt8(ascii: ";") else { break }
                index += 1
                skip(isSpace)
                let first = index
                skip { !isSpace($0) && !"=;,".utf8.contains($0) }
                let name = text(first..<index).lowercased()
                skip(isSpace)
                var value: [UInt8] = []
                if index < bytes.count, bytes[index] == UInt8(ascii: "=") {
                    index += 1
                    skip(isSpace)
                    if index < bytes.count, bytes[index] == UInt8(ascii: "\"") {
                        index += 1
                        while index < bytes.count, bytes[index] != UInt8(ascii: "\"") {
                            if bytes[index] == UInt8(ascii: "\\"), index + 1 < bytes.count { index += 1 }
                            value.append(bytes[index])
                            index += 1
                        }
                        index += 1
                    } else {
                        let first = index
                        skip { !isSpace($0) && $0 != UInt8(ascii: ";") && $0 != UInt8(ascii: ",") }
                        value = Array(bytes[first..<index])
                    }
                }
                // The first of a name counts (RFC 8288 §3.3).
                if link.parameters.count < 32 { link.parameters.append((name, String(decoding: value, as: UTF8.self))) }
            }
            links.append(link)
            if links.count > limit { return links }
        }
    }
}
