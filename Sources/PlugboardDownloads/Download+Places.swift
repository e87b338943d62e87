import PlugboardSystem

extension Download {
    /// Whether a path names a folder: it ends with `/`, or a folder exists there. Blocks for a moment.
    package static func isFolder(_ path: String) -> Bool {
        var entry = stat()
        return path.utf8.last == UInt8(ascii: "/") || stat(path, &entry) == 0 && entry.st_mode & S_IFMT == S_IFDIR
    }

    static func path(of name: some StringProtocol, in folder: String) -> String {
        folder + (folder.isEmpty || folder.utf8.last == UInt8(ascii: "/") ? "" : "/") + name
    }

    /// The path of a file that cannot be written to its destination; nil without a fallback.
    func fallback(of destination: String) -> String? {
        guard let fallback, Download.isFolder(fallback) else { return fallback }
        let slash = destination.utf8.lastIndex(of: UInt8(ascii: "/"))
        let name = slash.map { destination[destination.index(after: $0)...] } ?? destination[...]
        return Download.path(of: name, in: fallback)
    }

    /// This download with the fallback as its destination.
    var atFallback: Download? {
        guard let fallback, let file = self.fallback(of: file) else { return nil }
        var other = self
        other.file = file
        other.fallback = nil
        // In a folder, the server may still name the file.
        if !Download.isFolder(fallback) { other.namesFromServer = false }
        return other
    }
}
