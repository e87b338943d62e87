import PlugboardKit

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The JSON of a setting: written there, or in a file.
enum TextFile {
    static let limit = JSONParser.Options().sizeLimit

    /// The text itself if it begins as a JSON object or array, or is `true` or `false`; else the contents of the file.
    static func json(_ text: String, _ host: PluginHost) throws(PlugboardError) -> String {
        let first = text.utf8.first { $0 != 0x20 && $0 != 0x0A && $0 != 0x09 && $0 != 0x0D }
        if first == UInt8(ascii: "{") || first == UInt8(ascii: "[") || text == "true" || text == "false" { return text }
        let path = host.configuredPath(text)
        guard let file = fopen(path, "rbe") else {
            throw PlugboardError(.configuration, "The schema file \(path) cannot be opened.")
        }
        defer { fclose(file) }
        var bytes: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 64 << 10)
        while case let count = fread(&piece, 1, piece.count, file), count > 0 {
            bytes += piece[..<count]
            guard bytes.count <= limit else {
                throw PlugboardError(.configuration, "The schema file \(path) is larger than \(limit) bytes.")
            }
        }
        guard ferror(file) == 0, let contents = String(validating: bytes, as: UTF8.self) else {
            throw PlugboardError(.configuration, "The schema file \(path) cannot be read as UTF-8.")
        }
        return contents
    }
}
