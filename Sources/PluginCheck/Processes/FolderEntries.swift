import Glibc

/// The names in a folder.
enum FolderEntries {
    /// Calls the closure with each name except `.` and `..`; never, if the folder cannot be read.
    static func each(of folder: String, _ body: (String) -> Void) {
        guard let stream = opendir(folder) else { return }
        defer { closedir(stream) }
        while let entry = readdir(stream) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if name != "." && name != ".." { body(name) }
        }
    }
}
