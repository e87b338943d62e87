import Glibc
import PlugboardJSON
import Testing

/// The files of cases.
enum Cases {
    static func file(_ name: String) throws -> JSONValue {
        let folder = #filePath.split(separator: "/").dropLast(2).joined(separator: "/")
        return try parse("/\(folder)/Fixtures/JSONSchema/\(name)")
    }

    static let publicSuite: String? = {
        guard let folder = getenv("PLUGBOARD_CONFORMANCE") else { return nil }
        let path = "\(String(cString: folder))/json-schema"
        return access("\(path)/tests/draft2020-12", R_OK) == 0 ? path : nil
    }()

    static func parse(_ path: String) throws -> JSONValue { try JSONParser.parse(bytes(path)) }

    static func bytes(_ path: String) throws -> [UInt8] {
        let file = try #require(fopen(path, "rb"), "\(path) cannot be read")
        defer { fclose(file) }
        var bytes: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 64 << 10)
        while case let count = fread(&piece, 1, piece.count, file), count > 0 { bytes += piece[..<count] }
        return bytes
    }

    /// The JSON files below a folder, sorted.
    static func files(below folder: String) -> [String] {
        guard let directory = opendir(folder) else { return [] }
        defer { closedir(directory) }
        var paths: [String] = []
        while let entry = readdir(directory) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if name.hasPrefix(".") { continue }
            let path = "\(folder)/\(name)"
            paths += name.hasSuffix(".json") ? [path] : files(below: path)
        }
        return paths.sorted()
    }
}
