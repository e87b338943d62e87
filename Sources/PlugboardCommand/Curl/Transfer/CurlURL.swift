import PlugboardKit

/// URLs of the command line as curl completes them.
enum CurlURL {
    /// The URL with a scheme, with a path, and without dot segments in it.
    ///
    /// - Parameter scheme: The scheme of a URL without one.
    static func absolute(_ text: String, scheme: String, isPathKept: Bool) -> String {
        let name = text.prefix { $0.isASCII && ($0.isLetter || $0.isNumber || "+-.".contains($0)) }
        let url = text[name.endIndex...].hasPrefix("://") ? text : "\(scheme)://\(text)"
        return isPathKept ? url : withoutDotSegments(url)
    }

    static func withoutDotSegments(_ url: String) -> String {
        guard let parts = URLParts(url), parts.authority != nil else { return url }
        let path = parts.pathWithoutDotSegments
        guard path != parts.path || path.isEmpty else { return url }
        return "\(url[..<parts.path.startIndex])\(path.isEmpty ? "/" : path)\(url[parts.path.endIndex...])"
    }

    /// The URL with these parameters at the end of its query.
    static func adding(_ parameters: [String], to url: String) -> String {
        guard !parameters.isEmpty else { return url }
        let fragment = url.firstIndex(of: "#") ?? url.endIndex
        let separator = url[..<fragment].contains("?") ? "&" : "?"
        return url[..<fragment] + separator + parameters.joined(separator: "&") + url[fragment...]
    }

    /// The last part of the path, as it is written; nil if it cannot be the name of a file.
    static func fileName(of url: String) -> String? {
        let name = URLParts(url)?.path.split(separator: "/", omittingEmptySubsequences: false).last.map(String.init)
        return name.flatMap { ["", ".", ".."].contains($0) ? nil : $0 }
    }

    /// The URL for a file that is uploaded: a URL whose path ends with `/` gets the name of the file.
    static func forUpload(of file: String, to url: String) -> String {
        guard let path = URLParts(url)?.path, path.isEmpty || path.hasSuffix("/"), file != "-", file != "." else {
            return url
        }
        var name: [UInt8] = []
        PercentEncoding.append(escaping: String(file.split(separator: "/").last ?? ""), to: &name)
        let slash = path.isEmpty ? "/" : ""
        return "\(url[..<path.endIndex])\(slash)\(String(decoding: name, as: UTF8.self))\(url[path.endIndex...])"
    }

    /// The URL without its user and password, and the user and password.
    static func withoutUser(_ url: String) -> (url: String, user: String?) {
        guard let parts = URLParts(url), let info = parts.userinfo else { return (url, nil) }
        let user = String(decoding: PercentEncoding.decoded(info.dropLast().utf8), as: UTF8.self)
        return ("\(url[..<info.startIndex])\(url[info.endIndex...])", user)
    }
}
