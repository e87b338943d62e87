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
        // Another download may have renamed the file between opening and locking it.
        for _ in 0..<100 {
            var entry = stat()
            let isNew = lstat(partial, &entry) != 0
            let descriptor = open(partial, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK, 0o666)
            guard descriptor >= 0 else {
                if errno == ELOOP {
                    throw PlugboardError(.downloadWrite, "\(partial) is a link. Remove it, or name another file.")
                }
                throw .writing(partial)
            }
            do throws(PlugboardError) {
                try lock(descriptor, partial, claim)
                // Whether the locked file is still the one at the path.
                if isSame(descriptor, partial) {
                    try checkOwned(descriptor, partial, hasJournal: isNew || access(journal, F_OK) == 0)
                    return descriptor
                }
            } catch {
                claim.unlock(descriptor)
                close(descriptor)
                throw error
            }
            claim.unlock(descriptor)
            close(descriptor)
        }
        throw PlugboardError(.downloadBusy, "Another process keeps replacing \(partial).")
    }

    private static func lock(
        _ descriptor: Int32, _ partial: String, _ claim: FileClaim
    ) throws(PlugboardError) {
        guard let number = claim.lock(descriptor) else { return }
        guard number == EWOULDBLOCK else { throw .writing(partial, number) }
        throw PlugboardError(
            .downloadBusy, "Another download writes \(partial) now. Wait for it, or name another file.")
    }

    static func isSame(_ descriptor: Int32, _ path: String) -> Bool {
        var file = stat()
        var entry = stat()
        return fstat(descriptor, &file) == 0 && lstat(path, &entry) == 0 && file.st_ino == entry.st_ino
            && file.st_dev == entry.st_dev
    }

    private static func checkOwned(_ descriptor: Int32, _ partial: String, hasJournal: Bool) throws(PlugboardError) {
        var file = stat()
        guard fstat(descriptor, &file) == 0 else { throw .writing(partial) }
        guard file.st_mode & S_IFMT == S_IFREG, file.st_uid == geteuid(), file.st_nlink == 1 else {
            throw PlugboardError(
                .downloadWrite, "\(partial) is not a regular file of this user's own. Name another file.")
        }
        guard hasJournal || file.st_size == 0 else {
            throw PlugboardError(
                .downloadWrite, "\(partial) exists and is not of a download. Rename it, or name another file.")
        }
    }
}
