import PlugboardMessages
import PlugboardSystem

extension PartialFile {
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
        let number = journal.text.withUnsafeBytes { writeAll($0, to: file) }
        let closed = close(file)
        guard number == nil, closed == 0, rename(new, journalPath) == 0 else {
            let number = number ?? errno
            unlink(new)
            throw .writing(new, number)
        }
        self.journal = journal
    }
}
