import PlugboardMessages
import PlugboardRanges

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// A file that is received beside its destination, with a journal, and renamed when it is complete.
///
/// `NAME.part` holds the bytes, `NAME.part.json` the journal. The journal is written before the first byte that it is
/// about, so that after a `kill -9` the length of the partial file is what was received. After a crash of the system
/// only those bytes count that were synchronized. Everything blocks on the disk.
final class PartialFile {
    let path: String
    /// The bytes received.
    private(set) var count = 0
    private(set) var journal: Journal?

    private let partial: String
    private let journalPath: String
    private let descriptor: Int32
    private var isPresent = false
    /// The digest of the bytes received, if one is needed.
    private var digest: SHA256?

    /// Bytes after which they are synchronized.
    private static let syncInterval = 256 << 20

    /// Opens the partial file, and locks it until the object is released.
    init(_ path: String) throws(PlugboardError) {
        self.path = path
        partial = "\(path).part"
        journalPath = "\(partial).json"
        try PartialFile.checkDestination(path)
        descriptor = try PartialFile.openLocked(partial, journalPath)
        isPresent = true
    }

    deinit {
        removeIfUnused()
        // Closing alone would leave the lock to a child process that has not yet called exec.
        flock(descriptor, LOCK_UN)
        close(descriptor)
    }

    /// A request that brought nothing leaves nothing.
    private func removeIfUnused() {
        var file = stat()
        guard isPresent, journal == nil, fstat(descriptor, &file) == 0, file.st_size == 0,
            access(journalPath, F_OK) != 0, PartialFile.isSame(descriptor, partial)
        else { return }
        unlink(partial)
    }

    private static func checkDestination(_ path: String) throws(PlugboardError) {
        var entry = stat()
        guard !path.isEmpty, path.utf8.last != UInt8(ascii: "/") else {
            throw PlugboardError(.downloadWrite, "A download needs the path of a file, and not of a folder.")
        }
        guard lstat(path, &entry) == 0 else {
            if errno == ENOENT { return }
            throw .writing(path)
        }
        // A link is replaced, and its target stays.
        let kind = entry.st_mode & S_IFMT
        guard kind == S_IFREG || kind == S_IFLNK else {
            throw PlugboardError(
                .downloadWrite,
                kind == S_IFDIR ? "\(path) is a folder. Name a file in it." : "\(path) is not a regular file.")
        }
    }

    private static func openLocked(_ partial: String, _ journal: String) throws(PlugboardError) -> Int32 {
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
                if try lock(descriptor, partial) {
                    try checkOwned(descriptor, partial, hasJournal: isNew || access(journal, F_OK) == 0)
                    return descriptor
                }
            } catch {
                close(descriptor)
                throw error
            }
            close(descriptor)
        }
        throw PlugboardError(.downloadBusy, "\(partial) is replaced by others all the time.")
    }

    /// Whether the locked file is still the one at the path.
    private static func lock(_ descriptor: Int32, _ partial: String) throws(PlugboardError) -> Bool {
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            if errno == EWOULDBLOCK {
                throw PlugboardError(
                    .downloadBusy, "Another download writes \(partial) now. Wait for it, or name another file.")
            }
            throw .writing(partial)
        }
        return isSame(descriptor, partial)
    }

    private static func isSame(_ descriptor: Int32, _ path: String) -> Bool {
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

    // MARK: Going on

    /// Takes up the bytes of an earlier download, if the journal says that they belong to this URL.
    ///
    /// - Parameter url: The key of the URL; nil for any.
    func takeUp(url: String?) {
        count = 0
        journal = nil
        guard let bytes = readJournal(), let found = Journal(bytes), url == nil || found.url == url else { return }
        var file = stat()
        guard fstat(descriptor, &file) == 0 else { return }
        let size = Int(file.st_size)
        let isSameBoot = !PartialFile.boot.isEmpty && found.boot == PartialFile.boot
        count = isSameBoot ? size : min(size, found.synced)
        journal = found
    }

    private func readJournal() -> [UInt8]? {
        let file = open(journalPath, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK)
        guard file >= 0 else { return nil }
        defer { close(file) }
        var status = stat()
        guard fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_uid == geteuid(),
            status.st_size <= 64 << 10
        else { return nil }
        var bytes = [UInt8](repeating: 0, count: Int(status.st_size))
        let count = pread(file, &bytes, bytes.count, 0)
        return count == bytes.count ? bytes : nil
    }

    /// A number of this start of the system; empty where the system has none.
    private static let boot: String = {
        let file = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return "" }
        defer { close(file) }
        var bytes = [UInt8](repeating: 0, count: 64)
        let count = read(file, &bytes, bytes.count)
        return String(decoding: bytes.prefix(max(count, 0)).prefix { $0 > 0x20 }, as: UTF8.self)
    }()

    /// Drops the bytes, and begins a representation.
    func begin(_ representation: Representation, url: String) throws(PlugboardError) {
        // First the bytes: no journal ever stands beside bytes of another representation.
        try drop()
        // An old journal must not come back beside the new bytes after a crash of the system.
        if unlink(journalPath) == 0 { PartialFile.synchronizeFolder(of: path) }
        try save(Journal(url: url, boot: PartialFile.boot, representation: representation))
    }

    /// Drops the bytes; the journal stays.
    func drop() throws(PlugboardError) {
        count = 0
        digest = nil
        guard ftruncate(descriptor, 0) == 0 else { throw .writing(partial) }
    }

    /// Notes the length that a later response has told.
    func note(length: Int?) throws(PlugboardError) {
        guard var journal, let length, journal.representation.length == nil else { return }
        journal.representation.length = length
        try save(journal)
    }

    private func save(_ journal: Journal) throws(PlugboardError) {
        let new = "\(journalPath).new"
        unlink(new)
        let file = open(new, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw .writing(new) }
        let number = journal.text.withUnsafeBytes { PartialFile.write($0, to: file, at: 0) }
        let closed = close(file)
        guard number == nil, closed == 0, rename(new, journalPath) == 0 else {
            let number = number ?? errno
            unlink(new)
            throw .writing(new, number)
        }
        self.journal = journal
    }

    // MARK: Bytes

    /// Whether these bytes are already there, from an offset on.
    func holds(_ bytes: UnsafeRawBufferPointer, at offset: Int) -> Bool {
        var there = [UInt8](repeating: 0, count: bytes.count)
        let count = pread(descriptor, &there, there.count, off_t(offset))
        return count == bytes.count && there.elementsEqual(bytes)
    }

    /// Adds bytes at the end.
    func append(_ bytes: UnsafeRawBufferPointer) throws(PlugboardError) {
        if let number = PartialFile.write(bytes, to: descriptor, at: count) { throw .writing(partial, number) }
        count += bytes.count
        digest?.update(bytes)
        if count - (journal?.synced ?? 0) >= PartialFile.syncInterval { try synchronize() }
    }

    /// Returns the system's error, or nil.
    private static func write(_ bytes: UnsafeRawBufferPointer, to file: Int32, at offset: Int) -> Int32? {
        var written = 0
        while written < bytes.count {
            let count = pwrite(file, bytes.baseAddress! + written, bytes.count - written, off_t(offset + written))
            if count < 0 && errno == EINTR { continue }
            if count <= 0 { return count < 0 ? errno : ENOSPC }
            written += count
        }
        return nil
    }

    /// The bytes so far outlive a crash of the system.
    func synchronize() throws(PlugboardError) {
        guard var journal, count > journal.synced else { return }
        guard fdatasync(descriptor) == 0 else { throw .writing(partial) }
        journal.synced = count
        try save(journal)
    }

    /// Computes the digest of the bytes that are there, and of all that follow.
    func computeDigest() throws(PlugboardError) {
        guard digest == nil else { return }
        var digest = SHA256()
        var piece = [UInt8](repeating: 0, count: 256 << 10)
        var offset = 0
        while offset < count {
            let read = pread(descriptor, &piece, min(piece.count, count - offset), off_t(offset))
            if read < 0 && errno == EINTR { continue }
            guard read > 0 else {
                throw PlugboardError(
                    .downloadWrite, "\(partial) cannot be read.", underlying: String(cString: strerror(errno)))
            }
            piece.withUnsafeBytes { digest.update(UnsafeRawBufferPointer(rebasing: $0[..<read])) }
            offset += read
        }
        self.digest = digest
    }

    // MARK: The end

    /// Puts the file in its place, once its bytes are on the disk.
    func appear(_ expected: ExpectedDigest?) throws(PlugboardError) {
        if let expected {
            try computeDigest()
            guard digest?.hexadecimal == expected.sha256 else {
                remove()
                throw PlugboardError(
                    .downloadDigest,
                    "The \(count) bytes received do not have the expected SHA-256, and were removed. The server has "
                        + "another file, or the file was changed on its way.")
            }
        }
        // A partial file that was longer.
        guard ftruncate(descriptor, off_t(count)) == 0, fsync(descriptor) == 0 else { throw .writing(partial) }
        guard PartialFile.isSame(descriptor, partial) else {
            throw PlugboardError(
                .downloadWrite, "\(partial) was replaced by another file. Nothing was put in its place.")
        }
        guard rename(partial, path) == 0 else { throw .writing(path) }
        isPresent = false
        unlink(journalPath)
        PartialFile.synchronizeFolder(of: path)
    }

    /// Best effort: not every file system can synchronize a folder.
    private static func synchronizeFolder(of path: String) {
        let slash = path.utf8.lastIndex(of: UInt8(ascii: "/"))
        let folder = slash.map { $0 == path.utf8.startIndex ? "/" : String(path[..<$0]) } ?? "."
        let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { return }
        fsync(descriptor)
        close(descriptor)
    }

    /// Removes the bytes and the journal.
    func remove() {
        guard isPresent, PartialFile.isSame(descriptor, partial) else { return }
        isPresent = false
        // Without it, nothing writes a journal any more.
        journal = nil
        unlink(partial)
        unlink(journalPath)
    }

    /// Removes what is left of a download to this path, unless another download writes it now.
    static func remove(of path: String) {
        guard access("\(path).part.json", F_OK) == 0, let file = try? PartialFile(path) else { return }
        file.remove()
    }
}
