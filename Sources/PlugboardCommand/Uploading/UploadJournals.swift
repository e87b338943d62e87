import Plugboard
import PlugboardCore
import PlugboardKit
import PlugboardSystem
import PlugboardUploads

/// The folder of the journals of uploads: one for each pair of a file and a URL.
struct UploadJournals {
    private let folder: String?

    /// Makes the folder, with mode 0700, under the data directory of the configuration or of the user; where that is
    /// not possible, uploads have no journals.
    init(_ configuration: Configuration) {
        guard case .made(let path) = DataDirectory(configuration.kernel).make("uploads") else {
            folder = nil
            return
        }
        folder = access(path, W_OK | X_OK) == 0 ? path : nil
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
