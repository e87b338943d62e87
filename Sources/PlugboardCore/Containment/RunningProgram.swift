#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The program that this process runs.
enum RunningProgram {
    /// The last part of its file's path.
    static let name: String = {
        var bytes = [UInt8](repeating: 0, count: Int(PATH_MAX))
        let count = readlink("/proc/self/exe", &bytes, bytes.count)
        let path = count > 0 ? String(decoding: bytes[..<count], as: UTF8.self) : CommandLine.arguments.first ?? ""
        return lastPart(of: path)
    }()

    /// Without the note that the system adds to the path of a file that was replaced meanwhile.
    static func lastPart(of path: String) -> String {
        let mark = " (deleted)"
        let whole = path.hasSuffix(mark) ? path.dropLast(mark.count) : path[...]
        return whole.split(separator: "/").last.map(String.init) ?? "a program"
    }
}
