import PlugboardJSON
import PlugboardMessages

extension Parameters {
    /// Reads `application/x-www-form-urlencoded` (URL standard §5.1): names and texts, in their order. All bytes are
    /// valid; bytes that are not UTF-8 become U+FFFD.
    public init(form: Bytes) {
        self.init()
        form.withUnsafeBytes { bytes in
            for pair in bytes.split(separator: UInt8(ascii: "&")) {
                let equals = pair.firstIndex(of: UInt8(ascii: "="))
                let name = pair[..<(equals ?? pair.endIndex)]
                let value = equals.map { pair[($0 + 1)...] }
                append(Parameters.unescaped(name), value.map(Parameters.unescaped) ?? "")
            }
        }
    }

    /// The parameters as an object; a name that occurs more than once becomes an array.
    func gathered() throws(PlugboardError) -> JSONObject {
        try check()
        var values: [String: [JSONValue]] = [:]
        var names: [String] = []
        for (name, value) in self {
            if values[name] == nil { names.append(name) }
            values[name, default: []].append(value)
        }
        return JSONObject(names.lazy.map { ($0, Parameters.one(values[$0] ?? [])) })
    }

    private static func one(_ values: [JSONValue]) -> JSONValue { values.count == 1 ? values[0] : .array(values) }

    private static func unescaped(_ bytes: Slice<UnsafeRawBufferPointer>) -> String {
        String(decoding: PercentEncoding.decoded(bytes, plusIsSpace: true), as: UTF8.self)
    }
}
