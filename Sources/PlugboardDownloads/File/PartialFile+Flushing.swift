import PlugboardMessages
import PlugboardSystem

extension PartialFile {
    /// Saves the journal with the bytes written and digested so far.
    func saveState() throws(PlugboardError) {
        guard var journal else { return }
        lastSave = .now
        digestsSaved = provedPrefix
        if journal.written != nil { journal.written = received }
        try save(journal)
    }

    /// Notes the result of a flush that has ended.
    func endFlush() throws(PlugboardError) {
        guard let (flush, _, covers) = flushing, let end = flush.end else { return }
        flushing = nil
        if let error = end.error { throw loseUnsynchronized(error) }
        journal?.synced = covers
        try saveState()
    }

    /// Makes the bytes so far survive a crash of the system.
    func synchronize() async throws(PlugboardError) {
        try await settleFlush()
        guard let known = journal, received != known.synced || (known.written ?? received) != received else { return }
        if let error = await file.waiting(for: flush) { throw loseUnsynchronized(error) }
        journal?.synced = received
        try saveState()
    }

    /// Waits for the running flush.
    func settleFlush() async throws(PlugboardError) {
        await flushing?.task.value
        try endFlush()
    }

    /// Drops the bytes that are not synchronized, and returns the error of the flush that has just failed.
    ///
    /// Linux reports an error of the disk once per open file: a second flush would succeed although bytes are lost.
    func loseUnsynchronized(_ number: Int32) -> PlugboardError {
        let error = PlugboardError.writing(partial, number)
        dropProofs()
        received = journal?.synced ?? ByteRanges()
        var isNoted = ftruncate(descriptor, off_t(received.ranges.last?.upperBound ?? 0)) == 0
        if var journal, journal.written != nil {
            journal.written = received
            isNoted = (try? save(journal)) != nil
        }
        if !isNoted {
            received = ByteRanges()
            unlink(journalPath)
            ftruncate(descriptor, 0)
            journal = nil
        }
        return error
    }
}
