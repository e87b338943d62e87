import PlugboardMessages
import PlugboardSystem

extension PartialFile {
    /// The longest journal that is read.
    private static let journalLimit = 256 << 10

    func readJournal() -> [UInt8]? {
        let file = open(journalPath, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK)
        guard file >= 0 else { return nil }
        defer { close(file) }
        var status = stat()
        guard fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_uid == geteuid(),
            status.st_size <= PartialFile.journalLimit
        else { return nil }
        var bytes = [UInt8](repeating: 0, count: Int(status.st_size))
        let count = pread(file, &bytes, bytes.count, 0)
        return count == bytes.count ? bytes : nil
    }

    func save(_ journal: Journal) throws(PlugboardError) {
        var journal = journal
        journal.file = FileMark(descriptor)
        journal.digests = digestStates
        if let pieces {
            journal.pieces = pieces.hashes.identity
            journal.verified = pieces.verified
        }
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
}
