/// Resolves references against a base (RFC 3986 §5.2), as bytes.
enum URIReference {
    struct Parts {
        var scheme: Substring?
        var authority: Substring?
        var path: Substring = ""
        var query: Substring?

        init(_ text: Substring) {
            var rest = text
            if let colon = rest.utf8.firstIndex(of: UInt8(ascii: ":")), isScheme(rest[..<colon]) {
                scheme = rest[..<colon]
                rest = rest[rest.utf8.index(after: colon)...]
            }
            if rest.utf8.starts(with: "//".utf8) {
                rest = Substring(rest.utf8.dropFirst(2))
                let end = rest.utf8.firstIndex { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "?") } ?? rest.endIndex
                authority = rest[..<end]
                rest = rest[end...]
            }
            if let mark = rest.utf8.firstIndex(of: UInt8(ascii: "?")) {
                query = rest[rest.utf8.index(after: mark)...]
                rest = rest[..<mark]
            }
            path = rest
        }
    }

    private static func isScheme(_ text: Substring) -> Bool {
        guard let first = text.utf8.first, first.isLetter else { return false }
        return text.utf8.allSatisfy {
            $0.isLetter || $0.isDigit || $0 == UInt8(ascii: "+") || $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: ".")
        }
    }

    /// The reference without its fragment, and the fragment; nil if there is none.
    static func split(_ reference: String) -> (uri: String, fragment: String?) {
        guard let hash = reference.utf8.firstIndex(of: UInt8(ascii: "#")) else { return (reference, nil) }
        return (String(reference[..<hash]), String(reference[reference.utf8.index(after: hash)...]))
    }

    /// The absolute form of a reference without fragment.
    static func resolve(_ reference: String, against base: String) -> String {
        guard !reference.isEmpty else { return base }
        let target = Parts(reference[...])
        if target.scheme != nil || base.isEmpty { return reference }
        let base = Parts(base[...])
        var text = base.scheme.map { "\($0):" } ?? ""
        let authority = target.authority ?? base.authority
        if let authority { text += "//\(authority)" }
        var query = target.query
        if target.authority != nil || target.path.utf8.first == UInt8(ascii: "/") {
            text += removeDots(target.path)
        } else if target.path.isEmpty {
            text += base.path
            query = query ?? base.query
        } else if base.authority != nil && base.path.isEmpty {
            text += removeDots("/" + target.path)
        } else if let slash = base.path.utf8.lastIndex(of: UInt8(ascii: "/")) {
            text += removeDots(base.path[...slash] + target.path)
        } else {
            text += removeDots(target.path)
        }
        if let query { text += "?\(query)" }
        return text
    }

    private static func removeDots(_ path: Substring) -> String {
        var output: [Substring] = []
        let segments = path.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).map {
            Substring($0)
        }
        for (index, segment) in segments.enumerated() {
            let isLast = index == segments.count - 1
            switch segment {
            case ".":
                if isLast { output.append("") }
            case "..":
                if output.count > 1 || (output.count == 1 && output[0] != "") { output.removeLast() }
                if isLast { output.append("") }
            default:
                output.append(segment)
            }
        }
        return output.joined(separator: "/")
    }
}
