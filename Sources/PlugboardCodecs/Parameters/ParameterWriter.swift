import PlugboardJSON
import PlugboardMessages
import PlugboardSystem

/// Writes parameters as `name=value&…`, in time that grows with the length of the result.
struct ParameterWriter {
    /// The place of the text, which determines the characters that are escaped.
    enum Place {
        /// The query of a URL (RFC 3986 §3.4): everything except unreserved characters in percent encoding.
        case query
        /// `application/x-www-form-urlencoded` (URL standard §5.2): like a query, but a space is a plus sign.
        case form
    }

    /// The most levels of arrays and objects in a value; each level makes the names longer.
    static let depthLimit = 64

    let place: Place
    let style: ParameterStyle
    private var bytes: [UInt8]
    /// Whether an ampersand comes before the next name.
    private var separates: Bool

    /// Creates a writer that appends to bytes.
    ///
    /// - Parameter separates: Whether the bytes have parameters already.
    init(_ place: Place, _ style: ParameterStyle, to bytes: consuming [UInt8] = [], separates: Bool = false) {
        self.place = place
        self.style = style
        self.bytes = bytes
        self.separates = separates
    }

    /// The given bytes with the written parameters.
    consuming func end() -> [UInt8] { bytes }

    mutating func write(_ parameters: Parameters) throws(PlugboardError) {
        try parameters.check()
        for entry in parameters.entries {
            switch entry.value {
            case .array, .object: try write(entry.value, named: escaped(entry.name), depth: 0, of: entry.name)
            case .null where style.nulls == .omitted: break
            default:
                separate()
                append(entry.name)
                bytes.append(UInt8(ascii: "="))
                append(text(of: entry.value) ?? "")
            }
        }
    }

    private mutating func write(
        _ value: JSONValue, named name: [UInt8], depth: Int, of parameter: String
    ) throws(PlugboardError) {
        guard depth <= ParameterWriter.depthLimit else {
            throw error(parameter, "has more than \(ParameterWriter.depthLimit) nested arrays and objects")
        }
        switch value {
        case .array(let elements):
            let separator: [UInt8]
            switch style.arrays {
            case .commas: separator = [UInt8(ascii: ",")]
            case .spaces: separator = escaped(" ")
            case .pipes: separator = escaped("|")
            case .brackets, .plain, .indices:
                for (index, element) in elements.enumerated() {
                    let name =
                        switch style.arrays {
                        case .brackets: name + escaped("[]")
                        case .indices: name + escaped("[\(index)]")
                        default: name
                        }
                    try write(element, named: name, depth: depth + 1, of: parameter)
                }
                return
            }
            if elements.isEmpty { return }
            begin(name)
            var isFirst = true
            for element in elements {
                if case .null = element, style.nulls == .omitted { continue }
                guard let text = text(of: element) else {
                    throw error(parameter, "is an array of arrays or objects, which cannot stand in one value")
                }
                if !isFirst { bytes += separator }
                isFirst = false
                append(text)
            }
        case .object(let object):
            for (key, member) in object {
                let name = name + (style.objects == .dots ? escaped(".\(key)") : escaped("[\(key)]"))
                try write(member, named: name, depth: depth + 1, of: parameter)
            }
        case .null where style.nulls == .omitted: break
        default:
            begin(name)
            append(text(of: value) ?? "")
        }
    }

    /// The text of a value that is neither an array nor an object.
    private func text(of value: JSONValue) -> String? {
        switch value {
        case .null: ""
        case .bool(let bool): style.bools == .words ? (bool ? "true" : "false") : (bool ? "1" : "0")
        case .number(let number): number.text
        case .string(let string): string
        case .array, .object: nil
        }
    }

    private mutating func begin(_ name: [UInt8]) {
        separate()
        bytes += name
        bytes.append(UInt8(ascii: "="))
    }

    private mutating func separate() {
        if separates { bytes.append(UInt8(ascii: "&")) }
        separates = true
    }

    private func escaped(_ text: String) -> [UInt8] {
        var writer = ParameterWriter(place, style)
        writer.append(text)
        return writer.end()
    }

    private mutating func append(_ text: String) {
        guard place == .form else { return PercentEncoding.append(escaping: text, to: &bytes) }
        for byte in text.utf8 {
            switch byte {
            case 0x20: bytes.append(UInt8(ascii: "+"))
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
                UInt8(ascii: "*"):
                bytes.append(byte)
            default: PercentEncoding.append(byte, to: &bytes)
            }
        }
    }

    private func error(_ parameter: String, _ what: String) -> PlugboardError {
        PlugboardError(.requestParameter, "The parameter \(Printable.text(parameter)) \(what).")
    }
}

extension Parameters {
    /// The parameters as the query of a URL, without a question mark: UTF-8 in percent encoding.
    ///
    /// Throws `request.parameter` if a value cannot be written in this style.
    public func query(_ style: ParameterStyle = ParameterStyle()) throws(PlugboardError) -> String {
        try text(.query, style)
    }

    /// The parameters as `application/x-www-form-urlencoded`: as in a query, but with plus signs for spaces.
    ///
    /// Throws `request.parameter` if a value cannot be written in this style.
    public func form(_ style: ParameterStyle = ParameterStyle()) throws(PlugboardError) -> String {
        try text(.form, style)
    }

    /// A URL or a relative reference with these parameters after those of its query, and before its fragment.
    ///
    /// Throws `request.parameter` if a value cannot be written in this style.
    public func added(to url: String, style: ParameterStyle = ParameterStyle()) throws(PlugboardError) -> String {
        var bytes = Array(url.utf8)
        try add(to: &bytes, style: style)
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Adds these parameters to a URL or a relative reference, as `added(to:style:)` does. After an error, the URL is
    /// empty.
    package func add(to url: inout [UInt8], style: ParameterStyle) throws(PlugboardError) {
        if isEmpty { return }
        var fragment: ArraySlice<UInt8> = []
        if let start = Parameters.position(of: "#", in: url) {
            fragment = url[start...]
            url.removeSubrange(start...)
        }
        let mark = Parameters.position(of: "?", in: url)
        let length = url.count
        if mark == nil { url.append(UInt8(ascii: "?")) }
        let isFirst = mark.map { $0 == length - 1 } ?? true || url.last == UInt8(ascii: "&")
        var writer = ParameterWriter(.query, style, to: url, separates: !isFirst)
        url = []
        try writer.write(self)
        url = writer.end()
        // Empty arrays and omitted nulls write nothing.
        if mark == nil, url.count == length + 1 { url.removeLast() }
        if !fragment.isEmpty { url += fragment }
    }

    private static func position(of delimiter: Unicode.Scalar, in bytes: [UInt8]) -> Int? {
        bytes.withUnsafeBytes { bytes in
            guard let start = bytes.baseAddress, let found = memchr(start, Int32(delimiter.value), bytes.count) else {
                return nil
            }
            return UnsafeRawPointer(found) - start
        }
    }

    private func text(_ place: ParameterWriter.Place, _ style: ParameterStyle) throws(PlugboardError) -> String {
        var writer = ParameterWriter(place, style)
        try writer.write(self)
        return String(decoding: writer.end(), as: UTF8.self)
    }
}
