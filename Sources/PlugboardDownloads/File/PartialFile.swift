import CPlugboardFiles
import PlugboardMessages
import PlugboardRanges

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// A file that is received beside its destination, with a journal, and renamed when it is complete.
///
/// `NAME.part` holds the bytes, `NAME.part.json` the journal, which is written before the first byte that it is about.
/// Of a file that is received from its first byte to its last, the length of the partial file is what was received,
/// also after a `kill -9`. Of one that is received in several parts at the same time, the partial file has its whole
/// length from the beginning, and the journal lists what was written, a few times a second. After a crash of the system
/// only those bytes count that were synchronized. Everything blocks on the disk.
///
/// Sendable because one task uses it at a time: the run of the download, or `SegmentBoard`, for which the run waits.
final class PartialFile: @unchecked Sendable {
    let path: String
    let partial: String
    let journalPath: String
    let descriptor: Int32
    /// The bytes that were received.
    private(set) var received = ByteRanges()
    var journal: Journal?
    var isPresent = false
    /// Writes the data of a file to the disk.
    var flush: @Sendable (Int32) -> Int32 = { fdatasync($0) }
    /// Whether bytes of several servers were combined. It stays true when they are removed.
    private(set) var isCombined = false
    /// The digests of the first bytes, as many as `digested`.
    private var digests: [RunningDigest] = []
    private var digested = 0
    private var lastSave = ContinuousClock.now

    /// Bytes after which they are synchronized.
    private static let syncInterval = 256 << 20
    /// The time after which the journal lists what was written.
    private static let saveInterval = Duration.milliseconds(100)

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

    /// Whether bytes of several servers were removed because they are not those of the file.
    var provedCombinedWrong: Bool { isCombined && !isPresent }

    /// How many bytes were received.
    var count: Int { received.count }

    // MARK: Going on

    /// Takes up the bytes of an earlier download, if the journal says that they belong to this URL.
    ///
    /// - Parameters:
    ///   - url: The key of the URL; nil for any.
    ///   - combination: What this download can combine bytes of several servers under; nil if it cannot. Bytes that
    ///     were combined under another condition are not taken up.
    func takeUp(url: String?, _ combination: Journal.Combination?) {
        forget()
        guard let bytes = readJournal(), let found = Journal(bytes), url == nil || found.url == url,
            found.combination == nil || found.combination == combination
        else { return }
        var file = stat()
        guard fstat(descriptor, &file) == 0 else { return }
        received = found.received(size: Int(file.st_size), boot: PartialFile.boot)
        journal = found
        isCombined = found.combination != nil
        if found.boot != PartialFile.boot { renew(found) }
    }

    /// Nothing of what is there is used. It stays until `begin`.
    func forget() {
        received = ByteRanges()
        journal = nil
        isCombined = false
        digests = []
        digested = 0
    }

    /// Drops the bytes that do not count after a crash of the system, so that those that follow are the only others.
    private func renew(_ found: Journal) {
        var journal = found
        journal.boot = PartialFile.boot
        if found.written == nil {
            guard received.count == received.prefix, ftruncate(descriptor, off_t(received.prefix)) == 0 else { return }
        } else {
            journal.written = received
        }
        // Without it, only what was synchronized counts once more.
        try? save(journal)
    }

    /// Drops the bytes, and begins a representation.
    func begin(_ representation: Representation, url: String, name: String?) throws(PlugboardError) {
        // First the bytes, so that a journal is never beside bytes of another representation.
        journal = nil
        isCombined = false
        try drop()
        // An old journal must not come back beside the new bytes after a crash of the system.
        if unlink(journalPath) == 0 { PartialFile.synchronizeFolder(of: path) }
        var journal = Journal(url: url, boot: PartialFile.boot, representation: representation)
        journal.name = name
        try save(journal)
    }

    /// Drops the bytes; the journal stays, and says that there are none.
    func drop() throws(PlugboardError) {
        received = ByteRanges()
        digests = []
        digested = 0
        guard ftruncate(descriptor, 0) == 0 else { throw .writing(partial) }
        guard var journal else { return }
        journal.synced = ByteRanges()
        journal.written = nil
        try save(journal)
    }

    /// Notes what a later response has told: the length, and the URL that has the file now.
    func note(length: Int?, url: String?) throws(PlugboardError) {
        guard var journal else { return }
        if journal.representation.length == nil { journal.representation.length = length }
        if let url { journal.url = url }
        if journal != self.journal { try save(journal) }
    }

    /// Notes that bytes of another server follow, before the first of them.
    func note(_ combination: Journal.Combination) throws(PlugboardError) {
        isCombined = true
        guard var journal, journal.combination != combination else { return }
        journal.combination = combination
        try save(journal)
    }

    /// Gives the file its whole length, so that bytes can be written anywhere in it.
    func allocate(_ length: Int) throws(PlugboardError) {
        guard var journal, journal.written == nil else { return }
        // First the journal: from now on the length of the file says nothing.
        journal.written = received
        try save(journal)
        while cfiles_allocate(descriptor, Int64(length)) != 0 {
            switch errno {
            case EINTR: continue
            case EOPNOTSUPP, ENOSYS:
                guard ftruncate(descriptor, off_t(length)) == 0 else { throw .writing(partial) }
                return
            default: throw .writing(partial)
            }
        }
    }

    // MARK: Bytes

    /// Whether these bytes are already there, from an offset on.
    func holds(_ bytes: UnsafeRawBufferPointer, at offset: Int) -> Bool {
        var there = [UInt8](repeating: 0, count: bytes.count)
        let count = pread(descriptor, &there, there.count, off_t(offset))
        return count == bytes.count && there.elementsEqual(bytes)
    }

    /// Adds bytes after the first ones.
    func append(_ bytes: UnsafeRawBufferPointer) throws(PlugboardError) { try write(bytes, at: received.prefix) }

    /// Adds bytes at an offset.
    func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws(PlugboardError) {
        if let number = PartialFile.write(bytes, to: descriptor, at: offset) { throw .writing(partial, number) }
        received.insert(offset..<offset + bytes.count)
        if offset == digested, !digests.isEmpty {
            for index in digests.indices { digests[index].update(bytes) }
            digested += bytes.count
        }
        if received.count - (journal?.synced.count ?? 0) >= PartialFile.syncInterval {
            try synchronize()
        } else if journal?.written != nil, .now - lastSave >= PartialFile.saveInterval {
            try note()
        }
    }

    /// Returns the system's error, or nil.
    static func write(_ bytes: UnsafeRawBufferPointer, to file: Int32, at offset: Int) -> Int32? {
        var written = 0
        while written < bytes.count {
            let count = pwrite(file, bytes.baseAddress! + written, bytes.count - written, off_t(offset + written))
            if count < 0 && errno == EINTR { continue }
            if count <= 0 { return count < 0 ? errno : ENOSPC }
            written += count
        }
        return nil
    }

    /// The journal lists what was written so far.
    private func note() throws(PlugboardError) {
        guard var journal else { return }
        lastSave = .now
        journal.written = received
        try save(journal)
    }

    /// The bytes so far outlive a crash of the system.
    func synchronize() throws(PlugboardError) {
        guard var journal, received != journal.synced || (journal.written ?? received) != received else { return }
        guard flush(descriptor) == 0 else { throw loseUnsynchronized() }
        journal.synced = received
        if journal.written != nil { journal.written = received }
        try save(journal)
    }

    /// Drops the bytes that are not synchronized, and returns the error of the flush that has just failed.
    ///
    /// Linux reports an error of the disk once per open file: a second flush would succeed although bytes are lost.
    func loseUnsynchronized() -> PlugboardError {
        let error = PlugboardError.writing(partial)
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

    // MARK: Digests

    /// Computes digests of the bytes that are there, and of all that follow.
    func compute(_ algorithms: [ExpectedDigest.Algorithm]) throws(PlugboardError) {
        let new = algorithms.filter { algorithm in !digests.contains { $0.algorithm == algorithm } }
        if !new.isEmpty {
            digests += new.map { RunningDigest($0) }
            // All read the same bytes.
            if digests.count > new.count { digests = digests.map { RunningDigest($0.algorithm) } }
            digested = 0
        }
        try digestRest()
    }

    /// Reads the first bytes that are there and not yet part of the digests.
    private func digestRest() throws(PlugboardError) {
        guard !digests.isEmpty, digested < received.prefix else { return }
        var piece = [UInt8](repeating: 0, count: 256 << 10)
        while digested < received.prefix {
            let read = pread(descriptor, &piece, min(piece.count, received.prefix - digested), off_t(digested))
            if read < 0 && errno == EINTR { continue }
            guard read > 0 else {
                throw PlugboardError(
                    .downloadWrite, "\(partial) cannot be read.", underlying: String(cString: strerror(errno)))
            }
            piece.withUnsafeBytes { bytes in
                for index in digests.indices { digests[index].update(UnsafeRawBufferPointer(rebasing: bytes[..<read])) }
            }
            digested += read
        }
    }

    /// Whether all bytes have this digest.
    func has(_ expected: ExpectedDigest) throws(PlugboardError) -> Bool {
        try compute([expected.algorithm])
        return digests.contains { $0.algorithm == expected.algorithm && $0.hexadecimal == expected.hexadecimal }
    }
}
