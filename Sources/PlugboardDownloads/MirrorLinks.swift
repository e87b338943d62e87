import PlugboardFieldValues
import PlugboardMessages

/// The links to other servers of the file in the `Link` fields of a response (RFC 6249).
public struct MirrorLinks: Sendable, Equatable {
    /// Whether the response itself is a Metalink document.
    public let isMetalink: Bool
    /// The URL of a Metalink document about the file (`rel=describedby`); nil if there is none.
    public private(set) var metalink: String?
    /// URLs of the same file (`rel=duplicate`), the preferred one first.
    public private(set) var duplicates: [String] = []

    /// The media type of Metalink documents (RFC 5854 §7).
    package static let contentType = "application/metalink4+xml"
    private static let limit = 100

    /// - Parameter url: The URL of the response, the base of relative references.
    public init(_ response: ResponseHead, url: String) {
        let kind = (response.fields[.contentType] ?? "").utf8.prefix { !"; \t".utf8.contains($0) }
        isMetalink = String(decoding: Array(kind), as: UTF8.self).lowercased() == MirrorLinks.contentType
        let own = URLParts.resolve("", against: url)
        var found: [(priority: Int, url: String)] = []
        for value in response.fields.values("Link") {
            for link in MirrorLinks.links(value) {
                // A link with an anchor describes another document (RFC 8288 §3.2).
                if let anchor = link["anchor"], URLParts.resolve(anchor, against: url) != own { continue }
                guard found.count < MirrorLinks.limit, let url = URLParts.resolve(link.target, against: url),
                    let scheme = URLParts(url)?.scheme?.lowercased(), scheme == "http" || scheme == "https"
                else { continue }
                let relations = (link["rel"] ?? "").lowercased().split(separator: " ")
                if relations.contains("duplicate") {
                    found.append((link["pri"].flatMap { Int($0) } ?? 999_999, url))
                } else if relations.contains("describedby"), metalink == nil,
                    link["type"]?.lowercased() == MirrorLinks.contentType
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

    /// The links of `<TARGET>; name=value; name="value", …` (RFC 8288 §3). Everything after a syntax error is ignored.
    private static func links(_ value: String) -> [Link] {
        var links: [Link] = []
        var reader = FieldReader(value)
        while links.count <= limit {
            reader.skip { FieldReader.isBlank($0) || $0 == UInt8(ascii: ",") }
            guard reader.skip(UInt8(ascii: "<")) else { return links }
            var link = Link(target: reader.word { $0 != UInt8(ascii: ">") } ?? "")
            guard reader.skip(UInt8(ascii: ">")) else { return links }
            while true {
                reader.skipBlanks()
                guard reader.skip(UInt8(ascii: ";")) else { break }
                reader.skipBlanks()
                let name = reader.word { !FieldReader.isBlank($0) && !"=;,".utf8.contains($0) } ?? ""
                reader.skipBlanks()
                var value: String?
                if reader.skip(UInt8(ascii: "=")) {
                    reader.skipBlanks()
                    value =
                        reader.quotedText()?.text
                        ?? reader.word {
                            !FieldReader.isBlank($0) && $0 != UInt8(ascii: ";") && $0 != UInt8(ascii: ",")
                        }
                }
                // Of parameters with the same name, the first is used (RFC 8288 §3.3).
                if link.parameters.count < 32 { link.parameters.append((name.lowercased(), value ?? "")) }
            }
            links.append(link)
        }
        return links
    }
}
