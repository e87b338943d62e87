import PlugboardCodecs
import PlugboardCore
import PlugboardJSON

/// A URL or a path with placeholders, such as `boards/{board}/topics`, which are filled as `EndpointURL` describes.
struct URLTemplate {
    private enum Part {
        case text(ArraySlice<UInt8>)
        case placeholder(String)
    }

    /// The reason why a text is not a template, as the end of a sentence.
    struct Invalid: Error {
        let reason: String

        init(_ reason: String) { self.reason = reason }
    }

    private var parts: [Part] = []

    /// Divides a text in UTF-8, in one pass.
    init(_ text: [UInt8]) throws(Invalid) {
        var rest = text[...]
        while let open = rest.firstIndex(where: URLTemplate.isBracket) {
            guard rest[open] == UInt8(ascii: "{") else { throw Invalid("has a } without its {; write {name}") }
            let after = rest[(open + 1)...]
            guard let close = after.firstIndex(where: URLTemplate.isBracket) else {
                throw Invalid("has a { without its }; write {name}")
            }
            guard after[close] == UInt8(ascii: "}") else { throw Invalid("has a { within a placeholder; write {name}") }
            guard close > open + 1 else { throw Invalid("has a placeholder without a name; write {name}") }
            parts.append(.text(rest[..<open]))
            parts.append(.placeholder(String(decoding: after[..<close], as: UTF8.self)))
            rest = after[(close + 1)...]
        }
        parts.append(.text(rest))
    }

    /// Divides the path of a definition, which has no query and each placeholder once.
    init(path: String) throws(Invalid) {
        try self.init(Array(path.utf8))
        if path.utf8.contains(where: { $0 < 0x20 || $0 == 0x7F }) { throw Invalid("must not hold control characters") }
        var names: Set<String> = []
        for part in parts {
            switch part {
            case .text(let text):
                if text.contains(UInt8(ascii: "?")) || text.contains(UInt8(ascii: "#")) {
                    throw Invalid("must have neither ? nor #; write the query's parameters as such")
                }
            case .placeholder(let name):
                guard names.insert(name).inserted else {
                    throw Invalid("has the placeholder {\(Printable.text(name))} twice")
                }
            }
        }
    }

    private static func isBracket(_ byte: UInt8) -> Bool { byte == UInt8(ascii: "{") || byte == UInt8(ascii: "}") }

    /// The names of the placeholders, in their order.
    var placeholders: [String] {
        parts.compactMap { if case .placeholder(let name) = $0 { name } else { nil } }
    }

    // MARK: Filling

    /// Replaces the placeholders of a URL by parameters, and removes these parameters.
    ///
    /// - Parameters:
    ///   - general: Parameters of the client, which fill placeholders that have no other parameter.
    ///   - endpoint: The name of the endpoint in errors. It is made only for them, because making it is slow.
    static func filled(
        _ url: [UInt8], with parameters: inout Parameters, general: Parameters, of endpoint: @autoclosure () -> String
    ) throws(PlugboardError) -> [UInt8] {
        guard url.contains(where: isBracket) else { return url }
        let template: URLTemplate
        do throws(Invalid) {
            template = try URLTemplate(url)
        } catch {
            throw PlugboardError(
                .requestURL, "The URL of \(endpoint()) \(error.reason), or %7B and %7D for the characters themselves.")
        }
        let (own, others) = (values(parameters), values(general))
        let filled = try template.filled(hasHost: hasHost(url), of: endpoint) {
            (name: String, url: inout [UInt8]) throws(PlugboardError) in
            switch own(name) ?? others(name) {
            case .string(let text)?: PercentEncoding.append(escaping: text, to: &url)
            case .number(let number)?: PercentEncoding.append(escaping: number.text, to: &url)
            case .bool(let bool)?: url += (bool ? "true" : "false").utf8
            case .null?, nil: throw refusal(name, "has no value", endpoint())
            case let value?:
                throw refusal(
                    name, "has \(value.kind) for a value, and takes a text, a number or a boolean", endpoint())
            }
        }
        let used = Set(template.placeholders)
        parameters.removeAll { used.contains($0) }
        return filled
    }

    /// The first value of each name. A table indexes many values, so that URLs with many placeholders stay fast.
    private static func values(_ parameters: Parameters) -> (String) -> JSONValue? {
        guard parameters.count > 12 else { return { parameters[$0] } }
        let table = Dictionary(parameters.map { ($0.name, $0.value) }) { first, _ in first }
        return { table[$0] }
    }

    /// Whether a URL has a host, or is a reference with one.
    private static func hasHost(_ url: [UInt8]) -> Bool {
        guard let slash = url.firstIndex(of: UInt8(ascii: "/")), url[slash...].starts(with: "//".utf8) else {
            return false
        }
        return slash == 0 || url[slash - 1] == UInt8(ascii: ":")
    }

    /// The text with its placeholders filled.
    ///
    /// - Parameters:
    ///   - hasHost: Whether the text is a URL with a host, in which no placeholder may stand.
    ///   - append: Appends the value of a placeholder in percent-encoding.
    func filled(
        hasHost: Bool, of endpoint: () -> String,
        _ append: (_ name: String, _ url: inout [UInt8]) throws(PlugboardError) -> Void
    ) throws(PlugboardError) -> [UInt8] {
        var url: [UInt8] = []
        url.reserveCapacity(128)
        var (isInHost, isInQuery, slashes) = (hasHost, false, 0)
        // The segment of the path: the offset of its first byte, and its first placeholder.
        var (start, first) = (0, String?.none)
        for part in parts {
            switch part {
            case .text(let text):
                for byte in text {
                    let isSlash = byte == UInt8(ascii: "/")
                    let endsPath = byte == UInt8(ascii: "?") || byte == UInt8(ascii: "#")
                    if isSlash || endsPath, let name = first {
                        try URLTemplate.check(url[start...], name, endpoint)
                        first = nil
                    }
                    url.append(byte)
                    if isSlash { (slashes, start) = (slashes + 1, url.count) }
                    if slashes == 3 || endsPath { isInHost = false }
                    if endsPath { isInQuery = true }
                }
            case .placeholder(let name):
                if isInHost {
                    throw URLTemplate.refusal(name, "stands in the host, where no placeholder may stand", endpoint())
                }
                if !isInQuery, first == nil { first = name }
                try append(name, &url)
            }
        }
        if let name = first { try URLTemplate.check(url[start...], name, endpoint) }
        return url
    }

    /// Refuses a segment that a placeholder has made empty, `.` or `..`.
    private static func check(
        _ segment: ArraySlice<UInt8>, _ name: String, _ endpoint: () -> String
    ) throws(PlugboardError) {
        if segment.isEmpty {
            throw refusal(name, "has an empty value, and its segment of the path would vanish", endpoint())
        }
        // A dot may be written %2e in the text beside a placeholder.
        guard segment.count <= 6 else { return }
        let decoded = PercentEncoding.decoded(segment)
        if decoded.count <= 2, decoded.allSatisfy({ $0 == UInt8(ascii: ".") }) {
            throw refusal(
                name, "is refused: the path has a segment of dots, which would lead to another folder", endpoint())
        }
    }

    /// The error of a placeholder.
    static func refusal(_ name: String, _ what: String, _ endpoint: String) -> PlugboardError {
        PlugboardError(
            .requestParameter, "The placeholder {\(Printable.text(name))} in the URL of \(endpoint) \(what).")
    }
}
