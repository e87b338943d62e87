import Plugboard
import PlugboardKit
import PlugboardUploads

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The folder of the journals of uploads: one for each pair of a file and a URL.
struct UploadJournals {
    private let folder: String?

    /// Makes the folder, with mode 0700, under the data directory of the configuration or of the user; where that is
    /// not possible, uploads have no journals.
    init(_ configuration: Configuration) {
        let state = getenv("XDG_STATE_HOME").map { String(cString: $0) }.flatMap { $0.hasPrefix("/") ? $0 : nil }
        let home = getenv("HOME").map { String(cString: $0) + "/.local/state" }
        guard let base = configuration.kernel.dataDirectory ?? (state ?? home).map({ "\($0)/plugboard" }) else {
            folder = nil
            return
        }
        let path = "\(base)/uploads"
        var end = path.startIndex
        while end < path.endIndex {
            end = path[path.index(after: end)...].firstIndex(of: "/") ?? path.endIndex
            mkdir(String(path[..<end]), 0o700)
        }
        var entry = stat()
        let isOwn = lstat(path, &entry) == 0 && entry.st_mode & S_IFMT == S_IFDIR && entry.st_uid == geteuid()
        folder = isOwn && entry.st_mode & 0o022 == 0 && access(path, W_OK | X_OK) == 0 ? path : nil
    }

    /// Removes the journals of uploads that their servers have dropped since. Best effort.
    func removeExpired() {
        guard let folder, let entries = opendir(folder) else { return }
        defer { closedir(entries) }
        var left = UploadJournals.scanLimit
        while left > 0, let entry = readdir(entries) {
            left -= 1
            let name = withUnsafeBytes(of: &entry.pointee.d_name) { name in
                String(decoding: name.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name.hasSuffix(".json") { UploadJournal.removeIfExpired("\(folder)/\(name)", now: Int64(time(nil))) }
        }
    }

    /// More files are not looked at by one command.
    private static let scanLimit = 10_000

    func path(of file: String, to url: String) -> String? {
        guard let folder else { return nil }
        return UploadJournals.absolute(file).map { "\(folder)/\(Bytes("\($0)\n\(url)").sha256.prefix(32)).json" }
    }

    /// The file's path without links; of a file that was removed, its name in its folder.
    private static func absolute(_ file: String) -> String? {
        func resolved(_ path: String) -> String? {
            realpath(path, nil).map { path in
                defer { free(path) }
                return String(cString: path)
            }
        }
        if let path = resolved(file) { return path }
        let start = file.lastIndex(of: "/").map { file.index(after: $0) } ?? file.startIndex
        let folder = start == file.startIndex ? "." : String(file[..<start])
        return resolved(folder).map { ($0 == "/" ? "" : $0) + "/\(file[start...])" }
    }
}
