import PlugboardSystem

/// The current directory of the process.
enum WorkingFolder {
    /// Absolute and without links; "/" if the folder was removed.
    static var path: String {
        guard let text = getcwd(nil, 0) else { return "/" }
        defer { free(text) }
        return String(cString: text)
    }
}
