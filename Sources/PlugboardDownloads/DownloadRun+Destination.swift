import PlugboardMessages

/// The path that the file gets.
extension DownloadRun {
    var destination: String { destination(partial.journal?.name) }

    /// - Parameter name: The server's name for the file.
    func destination(_ name: String?) -> String {
        guard download.namesFromServer else { return download.file }
        guard let name = name.flatMap({ SafeName.from(name: $0) }) else { return renamed(download.file) }
        let slash = download.file.utf8.lastIndex(of: UInt8(ascii: "/"))
        let path = (slash.map { String(download.file[...$0]) } ?? "") + name
        return renamed(path)
    }

    private func renamed(_ path: String) -> String { download.renames?(path) ?? path }

    /// Throws if the file must not have this path.
    func accept(_ destination: String) throws(PlugboardError) {
        if !download.replacesFile, PartialFile.isThere(destination) { throw PartialFile.exists(destination) }
        if download.namesFromServer, download.fallback == nil { try PartialFile.checkDestination(destination) }
    }

    /// Checks a destination that only the response named.
    func acceptName(_ destination: String) throws(PlugboardError) {
        guard let renames = download.renames, renames(destination) == nil else { return }
        throw PlugboardError(.downloadExists, "\(destination) is the name of another download. Name another file.")
    }
}
