import Glibc
import PlugboardJSON

/// The folder of public test data that PLUGBOARD_CONFORMANCE names. Tests that need it are skipped if it is missing.
public enum Conformance {
    /// The path of a file or a folder in it; nil if it does not exist.
    public static func path(_ name: String) -> String? {
        guard let folder = getenv("PLUGBOARD_CONFORMANCE") else { return nil }
        let path = "\(String(cString: folder))/\(name)"
        return access(path, R_OK) == 0 ? path : nil
    }

    /// The bytes of a file in it.
    public static func bytes(_ name: String) throws -> [UInt8] {
        guard let path = path(name), let file = fopen(path, "rb") else {
            throw SystemError.failed("open \(name)", errno)
        }
        defer { fclose(file) }
        var bytes: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 64 << 10)
        while case let count = fread(&piece, 1, piece.count, file), count > 0 { bytes += piece[..<count] }
        return bytes
    }

    /// The value of a JSON file in it.
    public static func json(_ name: String) throws -> JSONValue { try JSONParser.parse(bytes(name)) }

    /// The names of the files in a folder in it, sorted.
    public static func files(_ name: String) throws -> [String] {
        guard let path = path(name), let directory = opendir(path) else {
            throw SystemError.failed("open \(name)", errno)
        }
        defer { closedir(directory) }
        var names: [String] = []
        while let entry = readdir(directory) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if !name.hasPrefix(".") { names.append(name) }
        }
        return names.sorted()
    }
}
