#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The folder of one test, removed with its contents.
final class ScratchFolder: Sendable {
    let path: String

    /// Throws if there is no folder for temporary files that can be written to.
    init() throws(PlugboardError) {
        let base = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
        var template = Array("\(base)/plugboard-testing-XXXXXX".utf8CString)
        let path = template.withUnsafeMutableBufferPointer { buffer in
            buffer.baseAddress.flatMap { mkdtemp($0) }.map { String(cString: $0) }
        }
        guard let path else {
            throw PlugboardError(.testingFolder, "No folder can be made in \(base). Let TMPDIR name another.")
        }
        self.path = path
    }

    deinit { ScratchFolder.remove(path) }

    private static func remove(_ path: String) {
        // `unlink` removes files and links, and fails for folders.
        guard unlink(path) != 0, let folder = opendir(path) else { return }
        while let entry = readdir(folder) {
            let name = withUnsafeBytes(of: entry.pointee.d_name) { bytes in
                String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name != "." && name != ".." { remove("\(path)/\(name)") }
        }
        closedir(folder)
        rmdir(path)
    }
}
