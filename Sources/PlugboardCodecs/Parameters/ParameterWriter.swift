import PlugboardJSON
import PlugboardMessages

/// Writes parameters as `name=value&…`, in time that grows with the length of the result.
struct ParameterWriter {
    /// Where the text stands, which decides what is escaped.
    enum Place {
        /// The query of a URL (RFC 3986 §3.4): all but unreserved characters in percent encoding.
        case query
        /// `application/x-www-form-urlencoded` (URL standard §5.2): the same, except that a space is a plus sign.
        case form
    }

    /// The most levels of arrays and objects in a value; each level makes the names longer.
    static let depthLimit = 64

    let place: Place
    let style: ParameterStyle
    private(set) var bytes: [UInt8] = []

    init(_ place: Place, _ style: ParameterStyle) {
        self.place = place
        self.style = style
    }

    mutating func write(_ parameters: Parameters) throws(PlugboardError) {
        try parameters.check()
        for (name, value) in parameters {
            try write(value, named: escaped(name), depth: 0, of: name)
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
        if !bytes.isEmpty { bytes.append(UInt8(ascii: "&")) }
        bytes += name
        bytes.append(UInt8(ascii: "="))
    }

    private func escaped(_ text: String) -> [UInt8] {
        var writer = ParameterWriter(place, style)
        writer.append(text)
        return writer.bytes
    }

    private mutating func append(_ text: String) {
        for byte in text.utf8 {
            if byte == 0x20 && place == .form {
                bytes.append(UInt8(ascii: "+"))
            } else if isPlain(byte) {
                bytes.append(byte)
            } else {
                bytes.append(UInt8(ascii: "%"))
                bytes.append(ParameterWriter.digits[Int(byte >> 4)])
                bytes.append(ParameterWriter.digits[Int(byte & 15)])
            }
        }
    }

    private func isPlain(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"): true
        case UInt8(ascii: "~"): place == .query
        case UInt8(ascii: "*"): place == .form
        default: false
        }
    }

    private static let digits = Array("0123456789ABCDEF".utf8)

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

    /// A URL or a relative reference with these parameters behind those of its query, and before its fragment.
    ///
    /// Throws `request.parameter` if a value cannot be written in this style.
    public func added(to url: String, style: ParameterStyle = ParameterStyle()) throws(PlugboardError) -> String {
        let query = try query(style)
        if query.isEmpty { return url }
        // Bytes are read, because a combining mark forms one character with the delimiter before it.
        let bytes = url.utf8
        let end = bytes.firstIndex(of: UInt8(ascii: "#")) ?? bytes.endIndex
        var text = String(url[..<end])
        if let mark = text.utf8.firstIndex(of: UInt8(ascii: "?")) {
            let last = text.utf8.last
            if text.utf8.index(after: mark) != text.utf8.endIndex && last != UInt8(ascii: "&") { text += "&" }
        } else {
            text += "?"
        }
        return text + query + url[end...]
    }

    private func text(_ place: ParameterWriter.Place, _ style: ParameterStyle) throws(PlugboardError) -> String {
        var writer = ParameterWriter(place, style)
        try writer.write(self)
        return String(decoding: writer.bytes, as: UTF8.self)
    }
}
