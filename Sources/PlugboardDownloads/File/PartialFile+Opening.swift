import PlugboardFileClaims
import PlugboardMessages
import PlugboardSystem

extension PartialFile {
    /// Opens and locks the partial file. Waits for a cancelled download of this process that still holds the lock.
    static func opened(_ path: String, _ claim: FileClaim) async throws(PlugboardError) -> PartialFile {
        try await claim.opened("\(path).part", busy: .downloadBusy) { () throws(PlugboardError) in
            try PartialFile(path, claim)
        }
    }

    static func isThere(_ path: String) -> Bool {
        var entry = stat()
        return lstat(path, &entry) == 0
    }

    static func checkDestination(_ path: String) throws(PlugboardError) {
        var entry = stat()
        guard !path.isEmpty, path.utf8.last != UInt8(ascii: "/") else {
            throw PlugboardError(.downloadWrite, "A download needs the path of a file, and not of a folder.")
        }
        guard lstat(path, &entry) == 0 else {
            if errno == ENOENT { return }
            throw .writing(path)
        }
        // A link is replaced, and its target is kept.
        let kind = entry.st_mode & S_IFMT
        guard kind == S_IFREG || kind == S_IFLNK else {
            throw PlugboardError(
                .downloadWrite,
                kind == S_IFDIR ? "\(path) is a folder. Name a file in it." : "\(path) is not a regular file.")
        }
    }

    static func openLocked(
        _ partial: String, _ journal: String, _ claim: FileClaim
    ) throws(PlugboardError) -> Int32 {
        do throws(FileClaim.Refusal) {
            return try claim.openLocked(partial, mode: 0o666) { $1.st_size == 0 || access(journal, F_OK) == 0 }
        } catch {
            switch error {
            case .system(ELOOP):
                throw PlugboardError(.downloadWrite, "\(partial) is a link. Remove it, or name another file.")
            case .system(let number): throw .writing(partial, number)
            case .busy:
                throw PlugboardError(
                    .downloadBusy, "Another download writes \(partial) now. Wait for it, or name another file.")
            case .replaced: throw PlugboardError(.downloadBusy, "Another process keeps replacing \(partial).")
            case .foreign:
                throw PlugboardError(
                    .downloadWrite, "\(partial) is not a regular file of this user's own. Name another file.")
            case .other:
                throw PlugboardError(
                    .downloadWrite, "\(partial) exists and is not of a download. Rename it, or name another file.")
            }
        }
    }
}
