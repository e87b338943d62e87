import PlugboardCodecs
import PlugboardCore
import PlugboardJSON

/// Fills the placeholders of a URL, as `EndpointURL` describes.
struct Placeholders {
    private var output: [UInt8] = []
    /// The offset in the output at which the segment of the path begins.
    private var segmentStart = 0
    /// The name of the first placeholder in the segment.
    private var segmentPlaceholder: String?
    private var used: [String] = []

    private enum Part { case authority, path, query }

    /// Replaces the placeholders of an absolute URL by parameters, and removes these parameters.
    ///
    /// - Parameters:
    ///   - general: Parameters of the client, which fill placeholders that have no other parameter.
    ///   - endpoint: The name of the endpoint in errors.
    static func fill(
        _ url: String, with parameters: inout Parameters, general: Parameters, of endpoint: @autoclosure () -> String
    ) throws(PlugboardError) -> [UInt8] {
        let bytes = url.utf8.span
        guard bytes.indices.contains(where: { bytes[$0] == UInt8(ascii: "{") || bytes[$0] == UInt8(ascii: "}") }) else {
            return Array(url.utf8)
        }
        var filler = Placeholders(capacity: bytes.count + 64)
        return try filler.fill(bytes, from: .authority, &parameters, general, endpoint)
    }

    /// Appends a path with placeholders to a base that has neither placeholders nor a query.
    ///
    /// - Parameter base: Includes the slash between base and path, if the path does not begin with one.
    static func fill(
        _ path: Span<UInt8>, after base: consuming [UInt8], with parameters: inout Parameters, general: Parameters,
        of endpoint: () -> String
    ) throws(PlugboardError) -> [UInt8] {
        var filler = Placeholders(capacity: 0)
        filler.segmentStart = base.count
        filler.output = base
        return try filler.fill(path, from: .path, &parameters, general, endpoint)
    }

    private init(capacity: Int) { output.reserveCapacity(capacity) }

    private mutating func fill(
        _ url: Span<UInt8>, from first: Part, _ parameters: inout Parameters, _ general: Parameters,
        _ endpoint: () -> String
    ) throws(PlugboardError) -> [UInt8] {
        do throws(Refusal) {
            try fill(url, from: first, Values(parameters), Values(general))
        } catch {
            throw PlugboardError(error.code, error.reason(endpoint()))
        }
        if used.count <= 12 {
            parameters.removeAll { used.contains($0) }
        } else {
            let used = Set(used)
            parameters.removeAll { used.contains($0) }
        }
        return output
    }

    private mutating func fill(
        _ url: Span<UInt8>, from first: Part, _ values: Values, _ generalValues: Values
    ) throws(Refusal) {
        var part = first
        var slashes = 0
        // The bytes from `start` to the index are copied together.
        var start = 0
        var index = 0
        while index < url.count {
            switch url[index] {
            case UInt8(ascii: "{"):
                PercentEncoding.append(url, start..<index, to: &output)
                let nameStart = index + 1
                while index < url.count, url[index] != UInt8(ascii: "}") { index += 1 }
                if index == url.count { throw unbalanced("{", without: "}") }
                let name = url.extracting(nameStart..<index).withUnsafeBufferPointer {
                    String(decoding: $0, as: UTF8.self)
                }
                start = index + 1
                if part == .authority {
                    throw refused(name, "stands in the host, where no placeholder may stand")
                }
                let value = try text(of: name, in: values[name] ?? generalValues[name])
                if part == .path, segmentPlaceholder == nil { segmentPlaceholder = name }
                PercentEncoding.append(escaping: value, to: &output)
                used.append(name)
            case UInt8(ascii: "}"): throw unbalanced("}", without: "{")
            case UInt8(ascii: "/"):
                if segmentPlaceholder != nil {
                    PercentEncoding.append(url, start..<index, to: &output)
                    start = index
                    try endSegment()
                }
                slashes += 1
                if slashes == 3, part == .authority { part = .path }
                segmentStart = output.count + index - start + 1
            case UInt8(ascii: "?"), UInt8(ascii: "#"):
                PercentEncoding.append(url, start..<index, to: &output)
                start = index
                try endSegment()
                part = .query
            default: break
            }
            index += 1
        }
        PercentEncoding.append(url, start..<index, to: &output)
        try endSegment()
    }

    /// Refuses a segment that a placeholder has made empty, `.` or `..`.
    private mutating func endSegment() throws(Refusal) {
        defer { segmentPlaceholder = nil }
        guard let name = segmentPlaceholder else { return }
        let segment = output[segmentStart...]
        if segment.isEmpty {
            throw refused(name, "has an empty value, and its segment of the path would vanish")
        }
        if Placeholders.isDots(segment) {
            throw refused(name, "makes its segment of the path . or .., which stand for other folders")
        }
    }

    /// Whether a segment consists of one or two dots. A dot may be written `%2e` in the text beside a placeholder.
    private static func isDots(_ segment: ArraySlice<UInt8>) -> Bool {
        var rest = segment
        var count = 0
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "%") {
                guard rest.popFirst() == UInt8(ascii: "2"), let digit = rest.popFirst(),
                    digit | 0x20 == UInt8(ascii: "e")
                else { return false }
            } else if byte != UInt8(ascii: ".") {
                return false
            }
            count += 1
        }
        return count <= 2
    }

    private func text(of name: String, in value: JSONValue?) throws(Refusal) -> String {
        switch value {
        case .string(let text)?: return text
        case .number(let number)?: return number.text
        case .bool(let bool)?: return bool ? "true" : "false"
        case .null?, nil: throw refused(name, "has no value")
        case let value?:
            throw refused(name, "has \(value.kind) for a value, and takes a text, a number or a boolean")
        }
    }

    private func refused(_ name: String, _ what: String) -> Refusal {
        Refusal(code: .requestParameter) { "The placeholder {\(Printable.text(name))} in the URL of \($0) \(what)." }
    }

    private func unbalanced(_ bracket: String, without other: String) -> Refusal {
        Refusal(code: .requestURL) {
            "The URL of \($0) has \(bracket) without \(other). Placeholders are written {name}; write %7B and %7D for "
                + "the characters themselves."
        }
    }
}

/// The reason why a URL cannot be filled. The endpoint's name is made only for errors, because making it is slow.
private struct Refusal: Error {
    let code: PlugboardError.Code
    let reason: @Sendable (_ endpoint: String) -> String
}

/// The first value of each name. A table indexes many values, so that definitions with many placeholders stay fast.
private struct Values {
    private let parameters: Parameters
    private let index: [String: JSONValue]?

    init(_ parameters: Parameters) {
        self.parameters = parameters
        index =
            parameters.count <= 12
            ? nil : Dictionary(parameters.map { ($0.name, $0.value) }) { first, _ in first }
    }

    subscript(name: String) -> JSONValue? {
        if let index { return index[name] }
        return parameters[name]
    }
}
