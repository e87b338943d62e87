import Glibc

/// Where the process stands.
enum WorkingFolder {
    /// Absolute and without links; "/" where the folder was removed.
    static var path: String {
        guard let text = getcwd(nil, 0) else { return "/" }
        defer { free(text) }
        return String(cString: text)
    }
}
