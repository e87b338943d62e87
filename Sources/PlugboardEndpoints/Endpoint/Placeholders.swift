import PlugboardCodecs
import PlugboardCore
import PlugboardJSON

/// Fills the placeholders of a URL, as `EndpointURL` describes.
struct Placeholders {
    private var output: [UInt8] = []
    /// Where the segment of the path begins in the output.
    private var segmentStart = 0
    /// The first placeholder of the segment.
    private var segmentPlaceholder: String?
    private var used: [String] = []

    private enum Part { case authority, path, query }

    /// Replaces the placeholders of an absolute URL by parameters, and removes these from the parameters.
    ///
    /// - Parameters:
    ///   - general: Parameters of the client that fill a placeholder for which there is no other.
    ///   - endpoint: For errors.
    static func fill(
        _ url: String, with parameters: inout Parameters, general: Parameters, of endpoint: @autoclosure () -> String
    ) throws(PlugboardError) -> String {
        let bytes = Array(url.utf8)
        guard bytes.contains(where: { $0 == UInt8(ascii: "{") || $0 == UInt8(ascii: "}") }) else { return url }
        var filler = Placeholders(output: [UInt8](), capacity: bytes.count + 64)
        return try filler.fill(bytes, from: .authority, &parameters, general, endpoint)
    }

    /// The URL of a path with placeholders below a base that has none, and neither a query.
    static func fill(
        _ path: [UInt8], below base: String, with parameters: inout Parameters, general: Parameters,
        of endpoint: @autoclosure () -> String
    ) throws(PlugboardError) -> String {
        var filler = Placeholders(output: base.utf8, capacity: base.utf8.count + path.count + 64)
        let slash = UInt8(ascii: "/")
        if filler.output.last != slash { filler.output.append(slash) }
        filler.segmentStart = filler.output.count
        return try filler.fill(
            path.first == slash ? Array(path.dropFirst()) : path, from: .path, &parameters, general, endpoint)
    }

    private init(output: some Sequence<UInt8>, capacity: Int) {
        self.output.reserveCapacity(capacity)
        self.output.append(contentsOf: output)
    }

    private mutating func fill(
        _ url: [UInt8], from first: Part, _ parameters: inout Parameters, _ general: Parameters,
        _ endpoint: () -> String
    ) throws(PlugboardError) -> String {
        do throws(Refusal) {
            try fill(url, from: first, Values(parameters), Values(general))
        } catch {
            throw PlugboardError(error.code, error.reason(endpoint()))
        }
        try remove(from: &parameters)
        return String(decoding: output, as: UTF8.self)
    }

    private mutating func fill(
        _ url: [UInt8], from first: Part, _ values: Values, _ generalValues: Values
    ) throws(Refusal) {
        var part = first
        var slashes = 0
        var index = 0
        while index < url.count {
            let byte = url[index]
            index += 1
            switch byte {
            case UInt8(ascii: "{"):
                let start = index
                while index < url.count, url[index] != UInt8(ascii: "}") { index += 1 }
                if index == url.count { throw unbalanced("{", without: "}") }
                let name = String(decoding: url[start..<index], as: UTF8.self)
                index += 1
                if part == .authority {
                    throw refused(name, "stands in the host, where no placeholder may stand")
                }
                let value = try text(of: name, in: values[name] ?? generalValues[name])
                if part == .path, segmentPlaceholder == nil { segmentPlaceholder = name }
                append(encoding: value)
                used.append(name)
                continue
            case UInt8(ascii: "}"): throw unbalanced("}", without: "{")
            case UInt8(ascii: "/"):
                if part == .path { try endSegment() }
                slashes += 1
                if slashes == 3, part == .authority { part = .path }
                segmentStart = output.count + 1
            case UInt8(ascii: "?"), UInt8(ascii: "#"):
                if part == .path { try endSegment() }
                part = .query
            default: break
            }
            output.append(byte)
        }
        if part == .path { try endSegment() }
    }

    /// Removes the parameters that have filled placeholders.
    private func remove(from parameters: inout Parameters) throws(PlugboardError) {
        if used.count <= Values.indexThreshold {
            for name in used { parameters[name] = nil }
            return
        }
        // Throws for values that cannot be written, which would be lost below.
        _ = try parameters.object()
        let used = Set(used)
        var rest = Parameters()
        for (name, value) in parameters where !used.contains(name) { rest.append(name, value) }
        parameters = rest
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

    /// Whether a segment consists of one or two dots, of which those beside the placeholder may be written `%2e`.
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

    private mutating func append(encoding text: String) {
        for byte in text.utf8 {
            switch byte {
            case 0x41...0x5A, 0x61...0x7A, 0x30...0x39, UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
                UInt8(ascii: "~"):
                output.append(byte)
            default:
                output.append(UInt8(ascii: "%"))
                output.append(Placeholders.digit(byte >> 4))
                output.append(Placeholders.digit(byte & 15))
            }
        }
    }

    private static func digit(_ value: UInt8) -> UInt8 { value < 10 ? 0x30 + value : 0x37 + value }

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

/// Why a URL cannot be filled. The endpoint's name is made only for errors, because it costs more than the URL.
private struct Refusal: Error {
    let code: PlugboardError.Code
    let reason: @Sendable (_ endpoint: String) -> String
}

/// The first value of each name. Many are found by a table, so that no definition with many placeholders is slow.
private struct Values {
    static let indexThreshold = 12

    private let parameters: Parameters
    private let index: [String: JSONValue]?

    init(_ parameters: Parameters) {
        self.parameters = parameters
        index =
            parameters.count <= Values.indexThreshold
            ? nil : Dictionary(parameters.map { ($0.name, $0.value) }) { first, _ in first }
    }

    subscript(name: String) -> JSONValue? {
        if let index { return index[name] }
        return parameters[name]
    }
}
