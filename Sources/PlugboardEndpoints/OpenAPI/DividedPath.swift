import PlugboardCore
import PlugboardJSON
import PlugboardKit

/// A path of an OpenAPI document. It should have neither a query nor a fragment, but some documents use them to
/// distinguish operations of one path.
struct DividedPath {
    let path: String
    /// The query without its question mark.
    let query: String
    let hasFragment: Bool

    init(_ text: String) {
        var isPlaceholder = false
        let end = text.utf8.firstIndex { byte in
            if byte == UInt8(ascii: "{") || byte == UInt8(ascii: "}") { isPlaceholder = byte == UInt8(ascii: "{") }
            return !isPlaceholder && (byte == UInt8(ascii: "?") || byte == UInt8(ascii: "#"))
        }
        let rest = text.utf8[(end ?? text.utf8.endIndex)...]
        path = String(Substring(text.utf8[..<rest.startIndex]))
        query = String(Substring(rest.prefix { $0 != UInt8(ascii: "#") }.dropFirst()))
        hasFragment = rest.contains(UInt8(ascii: "#"))
    }

    /// The decoded parameters of the query.
    var pairs: [(name: String, value: String)] {
        query.utf8.split(separator: UInt8(ascii: "&")).map { pair in
            let end = pair.firstIndex(of: UInt8(ascii: "=")) ?? pair.endIndex
            return (DividedPath.decoded(pair[..<end]), DividedPath.decoded(pair[end...].dropFirst()))
        }
    }

    private static func decoded(_ bytes: Substring.UTF8View.SubSequence) -> String {
        var isMalformed = false
        return String(decoding: PercentEncoding.decoded(Array(bytes), isMalformed: &isMalformed), as: UTF8.self)
    }
}

extension OpenAPIReader {
    /// Sends the query of the path with each request. The value of a listed parameter becomes its default.
    mutating func setFixedQuery(_ path: DividedPath, of definition: inout Definition, at location: JSONPath) {
        if path.hasFragment { noteDefect(location, "has a path with a fragment (#), which is not sent") }
        guard !path.query.isEmpty else { return }
        guard !path.query.utf8.contains(UInt8(ascii: "{")) else {
            reading.note(location, "has a placeholder in the query of its path; write it as a parameter in query")
            return
        }
        noteDefect(location, "has a path with a query, which is sent as it is; write it as parameters in query")
        for (name, value) in path.pairs {
            let listed = definition.parameters.firstIndex { $0.place == .query && $0.sentName == name }
            if let listed {
                definition.parameters[listed].fallback = .string(value)
            } else if let first = definition.query[name] {
                definition.query[name] = .array((first.arrayValue ?? [first]) + [.string(value)])
            } else {
                definition.query[name] = .string(value)
            }
        }
    }
}
