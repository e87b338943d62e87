import CPlugboardFiles
import PlugboardFileClaims
import PlugboardMessages
import PlugboardRanges
import PlugboardSystem

/// A file that is received beside its destination, with a journal, and renamed when it is complete.
///
/// `NAME.part` holds the bytes, `NAME.part.json` the journal, which is written before the first byte that it is about.
/// Of a file that is received from its first byte to its last, the length of the partial file is what was received,
/// also after a `kill -9`. Of one that is received in several parts at the same time, the partial file has its whole
/// length from the beginning, and the journal lists what was written, a few times a second. After a crash of the system
/// only those bytes count that were synchronized. What was computed of the bytes (digests so far, verified pieces) is
/// in the journal, and counts while the file was not changed since by others: not later than two seconds after it.
///
/// Writing and saving block the thread for a moment; flushing and digesting run beside it, and `appear` waits for the
/// folder to be written.
///
/// Sendable because one task uses it at a time: the run of the download, or `SegmentBoard`, for which the run waits.
/// The tasks that digest and flush the file have its descriptor alone.
final class PartialFile: @unchecked Sendable {
    let path: String
    let partial: String
    let journalPath: String
    let claim: FileClaim
    let file: OpenFile
    var descriptor: Int32 { file.descriptor }
    /// The bytes that were received.
    var received = ByteRanges()
    var journal: Journal?
    /// That of this download: bytes that came with another are not used.
    var trust = TransferTrust()
    var isPresent = false
    /// Writes the data of a file to the disk.
    var flush: @Sendable (Int32) -> Int32 = { fdatasync($0) }
    /// Bytes after which they are synchronized.
    var syncInterval = 256 << 20
    /// Whether bytes of several servers were combined. It stays true when they are removed.
    private(set) var isCombined = false
    /// The pieces that are verified one by one; nil without their digests.
    var pieces: PieceCheck?
    let digests: FileDigests
    /// The functions of `digests`.
    var algorithms: [ExpectedDigest.Algorithm] = []
    /// The flush that runs, and the bytes that are on the disk when it has succeeded.
    var flushing: (flush: FileFlush, task: Task<Void, Never>, covers: ByteRanges)?
    var lastSave = ContinuousClock.now
    /// How many of the first bytes are part of the digests of the journal.
    var digestsSaved = 0
    /// Whether digests go on from states of the journal.
    var trustsStates = false

    /// The time after which the journal lists what was written.
    private static let saveInterval = Duration.milliseconds(100)
    /// Bytes, or the time, after which the journal has the digests of the bytes so far.
    private static let digestInterval = (bytes: 8 << 20, time: Duration.seconds(1))

    /// Opens the partial file, and locks it until the object is released.
    init(_ path: String, _ claim: FileClaim = FileClaim()) throws(PlugboardError) {
        self.path = path
        self.claim = claim
        partial = "\(path).part"
        journalPath = "\(partial).json"
        try PartialFile.checkDestination(path)
        file = OpenFile(try PartialFile.openLocked(partial, journalPath, claim), partial)
        digests = FileDigests(file)
        isPresent = true
    }

    deinit {
        removeIfUnused()
        // Now: a task that still reads the file would keep the lock with the descriptor.
        claim.unlock(descriptor)
        // Ends its task, which has the descriptor.
        digests.begin([], from: [])
    }

    /// Whether bytes of several servers were removed because they are not those of the file.
    var provedCombinedWrong: Bool { isCombined && !isPresent }

    /// How many bytes were received.
    var count: Int { received.count }

    /// How many of the first bytes are there, and proved as far as they can be before the end.
    var provedPrefix: Int { pieces?.verified.prefix ?? received.prefix }

    // MARK: Going on

    /// Takes up the bytes of an earlier download, if the journal says that they belong to these URLs.
    ///
    /// - Parameters:
    ///   - url: The key of the URL that is requested; nil for any.
    ///   - mirrors: The keys of the others that have the file. Bytes that one of them has sent are taken up, too, if
    ///     bytes of several servers are combined.
    ///   - combination: What this download can combine bytes of several servers under; nil if it cannot. Bytes that
    ///     were combined under another condition are not taken up.
    func takeUp(url: String?, mirrors: [String] = [], _ combination: Journal.Combination?) {
        forget()
        guard let bytes = readJournal(), let found = Journal(bytes),
            found.combination == nil || found.combination == combination, found.trust == trust
        else { return }
        if let url, found.url != url {
            guard combination != nil, !found.urls.isDisjoint(with: [url] + mirrors) else { return }
        }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { return }
        received = found.received(size: Int(status.st_size), boot: bootID)
        journal = found
        isCombined = found.combination != nil
        // Bytes that others may have changed are read again.
        let isUnchanged = FileMark(descriptor).map { found.file?.fits($0) ?? false } ?? false
        journal?.digests = isUnchanged ? found.digests.filter { $0.count <= received.prefix } : []
        if isUnchanged, let hashes = pieces?.hashes, found.pieces == hashes.identity {
            pieces = PieceCheck(hashes, verified: found.verified.common(with: received))
        }
        if found.boot != bootID { renew(found) }
    }

    /// Nothing of what is there is used. It stays until `begin`.
    func forget() {
        received = ByteRanges()
        journal = nil
        isCombined = false
        dropProofs()
    }

    /// After a crash of the system: drops the bytes that do not count, so that new bytes are not taken for them.
    private func renew(_ found: Journal) {
        guard var journal else { return }
        journal.boot = bootID
        if found.written == nil {
            guard received.count == received.prefix, ftruncate(descriptor, off_t(received.prefix)) == 0 else { return }
        } else {
            journal.written = received
        }
        // Without it, only what was synchronized counts once more.
        try? save(journal)
    }

    /// Drops the bytes, and begins a representation.
    ///
    /// - Parameter mirrors: The keys of the other URLs that have the file.
    func begin(
        _ representation: Representation, url: String, mirrors: [String] = [], name: String?,
        announced: ExpectedDigest? = nil
    ) throws(PlugboardError) {
        // First the bytes, so that a journal is never beside bytes of another representation.
        journal = nil
        isCombined = false
        try drop()
        // An old journal must not come back beside the new bytes after a crash of the system.
        if unlink(journalPath) == 0 { PartialFile.synchronizeFolder(of: path) }
        var journal = Journal(url: url, boot: bootID, representation: representation)
        journal.name = name
        journal.urls.formUnion(mirrors)
        journal.announced = announced
        journal.trust = trust
        try save(journal)
    }

    /// Drops the bytes; the journal stays, and says that there are none.
    func drop() throws(PlugboardError) {
        received = ByteRanges()
        dropProofs()
        guard ftruncate(descriptor, 0) == 0 else { throw .writing(partial) }
        guard var journal else { return }
        journal.synced = ByteRanges()
        journal.written = nil
        journal.digests = []
        journal.verified = ByteRanges()
        try save(journal)
    }

    /// A later response has told the length, and the URL that has the file now.
    func update(length: Int?, url: String?) throws(PlugboardError) {
        guard var journal else { return }
        if journal.representation.length == nil { journal.representation.length = length }
        if let url {
            journal.url = url
            journal.urls.insert(url)
        }
        if journal != self.journal { try save(journal) }
    }

    /// Bytes of another server follow; called before the first of them.
    func combine(under combination: Journal.Combination) throws(PlugboardError) {
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
    func append(_ bytes: UnsafeRawBufferPointer) throws(PlugboardError) -> [Int] {
        try write(bytes, at: received.prefix)
    }

    /// Adds bytes at an offset. Returns the pieces that are whole now, which the caller verifies.
    @discardableResult
    func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws(PlugboardError) -> [Int] {
        if let number = PartialFile.write(bytes, to: descriptor, at: offset) { throw .writing(partial, number) }
        let range = offset..<offset + bytes.count
        received.insert(range)
        if !algorithms.isEmpty, pieces == nil { digests.grow(to: received.prefix) }
        try endFlush()
        if flushing == nil, received.count - (journal?.synced.count ?? 0) >= syncInterval {
            let flush = FileFlush(file, with: flush)
            flushing = (flush, flush.begin(), received)
        } else if isDue {
            try saveState()
        }
        return pieces?.due(in: range, of: received) ?? []
    }

    /// Whether the journal has to list what was written, or to have the digests so far.
    private var isDue: Bool {
        guard journal?.written != nil || !algorithms.isEmpty || pieces != nil else { return false }
        let since = .now - lastSave
        if since < PartialFile.saveInterval { return false }
        let (bytes, time) = PartialFile.digestInterval
        return journal?.written != nil || provedPrefix - digestsSaved >= bytes || since >= time
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
}
