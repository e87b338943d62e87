import CPlugboardFiles
import PlugboardFileClaims
import PlugboardMessages
import PlugboardRanges
import PlugboardSystem

/// A file that is received next to its destination, with a journal, and renamed when it is complete.
///
/// `NAME.part` has the bytes. `NAME.part.json` is the journal, which is written before the first byte. If the file is
/// received from its first byte to its last, the length of the partial file is the number of received bytes, also after
/// a `kill -9`. If it is received in several parts at the same time, it has its whole length from the beginning, and
/// the journal lists the written bytes several times a second. After a crash of the system only synchronized bytes are
/// used. The journal also has results of computations on the bytes (digests so far, verified pieces). They are valid if
/// nothing else has changed the file since: its last change is at most two seconds after the journal.
///
/// Writing and saving block the thread for a moment. Flushing and digesting run concurrently; `appear` waits until the
/// folder is written.
///
/// Sendable because one task uses it at a time: the run of the download, or `SegmentBoard`, for which the run waits.
/// The tasks that digest and flush the file use only its descriptor.
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
    /// The trust of this download: bytes that were received with another are not used.
    var trust = TransferTrust()
    var isPresent = false
    /// Writes the data of a file to the disk.
    var flush: @Sendable (Int32) -> Int32 = { fdatasync($0) }
    /// The number of bytes after which the file is synchronized.
    var syncInterval = 256 << 20
    /// Whether bytes of several servers were combined. It stays true when they are removed.
    private(set) var isCombined = false
    /// The pieces that are verified one by one; nil if there are no digests for them.
    var pieces: PieceCheck?
    let digests: FileDigests
    /// The functions of `digests`.
    var algorithms: [ExpectedDigest.Algorithm] = []
    /// The running flush, and the bytes that are on the disk when it has succeeded.
    var flushing: (flush: FileFlush, task: Task<Void, Never>, covers: ByteRanges)?
    var lastSave = ContinuousClock.now
    /// The number of first bytes that are included in the digests of the journal.
    var digestsSaved = 0
    /// Whether digests continue from states in the journal.
    var trustsStates = false

    /// The interval after which the journal lists the written bytes.
    private static let saveInterval = Duration.milliseconds(100)
    /// The number of bytes, or the interval, after which the journal gets the digests so far.
    private static let digestInterval = (bytes: 8 << 20, time: Duration.seconds(1))

    /// The longest journal that is read.
    private static let journalLimit = 256 << 10

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
        // Unlocks now, because a task that still reads the file would keep the descriptor and so the lock.
        claim.unlock(descriptor)
        // Ends the task of the digests, which uses the descriptor.
        digests.begin([], from: [])
    }

    /// Whether bytes of several servers were removed because they do not form the file.
    var provedCombinedWrong: Bool { isCombined && !isPresent }

    /// The number of received bytes.
    var count: Int { received.count }

    /// The number of first bytes that are received and, if there are digests of pieces, verified.
    var provedPrefix: Int { pieces?.verified.prefix ?? received.prefix }

    // MARK: Going on

    /// Uses the bytes of an earlier download if the journal says that they belong to these URLs.
    ///
    /// - Parameters:
    ///   - url: The key of the requested URL; nil for any.
    ///   - mirrors: The keys of the other URLs of the file. Bytes that one of them has sent are used too, if bytes of
    ///     several servers are combined.
    ///   - combination: The reason why this download can combine bytes of several servers; nil if it cannot. Bytes
    ///     that were combined for another reason are not used.
    func takeUp(url: String?, mirrors: [String] = [], _ combination: Journal.Combination?) {
        forget()
        guard let bytes = FileClaim.bytes(of: journalPath, limit: PartialFile.journalLimit), let found = Journal(bytes),
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
        // The digests of bytes that others may have changed are computed again.
        let isUnchanged = FileMark(descriptor).map { found.file?.fits($0) ?? false } ?? false
        journal?.digests = isUnchanged ? found.digests.filter { $0.count <= received.prefix } : []
        if isUnchanged, let hashes = pieces?.hashes, found.pieces == hashes.identity {
            pieces = PieceCheck(hashes, verified: found.verified.common(with: received))
        }
        if found.boot != bootID { renew(found) }
    }

    /// Ignores the existing bytes. They are kept until `begin`.
    func forget() {
        received = ByteRanges()
        journal = nil
        isCombined = false
        dropProofs()
    }

    /// Drops the bytes that were not synchronized before a crash of the system, so that they do not pass for new ones.
    private func renew(_ found: Journal) {
        guard var journal else { return }
        journal.boot = bootID
        if found.written == nil {
            guard received.count == received.prefix, ftruncate(descriptor, off_t(received.prefix)) == 0 else { return }
        } else {
            journal.written = received
        }
        // If this fails, only synchronized bytes are used again.
        try? save(journal)
    }

    /// Drops the bytes, and begins a new representation.
    ///
    /// - Parameter mirrors: The keys of the other URLs of the file.
    func begin(
        _ representation: Representation, url: String, mirrors: [String] = [], name: String?,
        announced: ExpectedDigest? = nil
    ) throws(PlugboardError) {
        // The bytes are dropped first, so that a journal never describes bytes of another representation.
        journal = nil
        isCombined = false
        try drop()
        // An old journal must not reappear with the new bytes after a crash of the system.
        if unlink(journalPath) == 0 { synchronizeFolder(of: path) }
        var journal = Journal(url: url, boot: bootID, representation: representation)
        journal.name = name
        journal.urls.formUnion(mirrors)
        journal.announced = announced
        journal.trust = trust
        try save(journal)
    }

    /// Drops the bytes; the journal is kept, and lists none.
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

    /// Notes the length and the present URL of the file, which a later response has told.
    func update(length: Int?, url: String?) throws(PlugboardError) {
        guard var journal else { return }
        if journal.representation.length == nil { journal.representation.length = length }
        if let url {
            journal.url = url
            journal.urls.insert(url)
        }
        if journal != self.journal { try save(journal) }
    }

    /// Notes that bytes of another server follow; called before the first of them.
    func combine(under combination: Journal.Combination) throws(PlugboardError) {
        isCombined = true
        guard var journal, journal.combination != combination else { return }
        journal.combination = combination
        try save(journal)
    }

    /// Gives the file its whole length, so that bytes can be written anywhere in it.
    func allocate(_ length: Int) throws(PlugboardError) {
        guard var journal, journal.written == nil else { return }
        // The journal is saved first, because the length of the file has no meaning from now on.
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

    /// Whether the file has these bytes at an offset.
    func holds(_ bytes: UnsafeRawBufferPointer, at offset: Int) -> Bool {
        var there = [UInt8](repeating: 0, count: bytes.count)
        let count = pread(descriptor, &there, there.count, off_t(offset))
        return count == bytes.count && there.elementsEqual(bytes)
    }

    /// Adds bytes at the end of the first range.
    func append(_ bytes: UnsafeRawBufferPointer) throws(PlugboardError) -> [Int] {
        try write(bytes, at: received.prefix)
    }

    /// Adds bytes at an offset. Returns the pieces that are complete now, which the caller verifies.
    @discardableResult
    func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws(PlugboardError) -> [Int] {
        if let number = writeAll(bytes, to: descriptor, at: offset) { throw .writing(partial, number) }
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

    /// Whether the journal must list the written bytes, or get the digests so far.
    private var isDue: Bool {
        guard journal?.written != nil || !algorithms.isEmpty || pieces != nil else { return false }
        let since = .now - lastSave
        if since < PartialFile.saveInterval { return false }
        let (bytes, time) = PartialFile.digestInterval
        return journal?.written != nil || provedPrefix - digestsSaved >= bytes || since >= time
    }
}
