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
        do throws(DraftFile.Failure) {
            try DraftFile.replace(journalPath, with: journal.text, as: new, isSynced: false)
        } catch {
            throw .writing(new, error.number)
        }
        self.journal = journal
    }
}
