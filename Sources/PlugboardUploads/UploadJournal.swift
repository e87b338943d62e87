import PlugboardFileClaims
import PlugboardJSON
import PlugboardMessages
import PlugboardSystem
import Synchronization

/// The resource on the server that receives the bytes of one upload.
struct UploadResource: Sendable, Equatable {
    /// Every client that knows the URL can add to the upload and remove it, so the URL is never printed.
    var url: String
    var dialect: UploadDialect
    /// The time when the server drops the upload, in seconds since 1970; nil if the server has not told it.
    var expires: Int64?
    /// The most bytes that the server accepts in one request.
    var appendLimit: Int?
}

/// A file with which an upload continues in another process. Only one upload uses it at a time.
///
/// It has the mode 0600, because it contains the URL of the upload's resource. It is written in one operation; a
/// damaged journal is not used.
package final class UploadJournal: Sendable {
    /// The content of the journal.
    struct Entry: Sendable, Equatable {
        var resource: UploadResource
        var file: UploadFile.Identity
        /// The trust with which the upload was sent to the resource.
        var trust: TransferTrust
    }

    private static let version = 1
    private static let sizeLimit = 64 << 10
    private let path: String
    private let descriptor: Int32
    private let claim: FileClaim
    /// False when the upload has ended.
    private let isOpen = Mutex(true)

    /// Opens the journal, and locks it until `end`, or until the object is released.
    init(_ path: String, _ claim: FileClaim = FileClaim()) throws(PlugboardError) {
        self.path = path
        self.claim = claim
        descriptor = try UploadJournal.openLocked(path, claim)
    }

    /// Opens and locks the journal. Waits for a cancelled upload of this process that still holds the lock.
    static func opened(_ path: String, _ claim: FileClaim) async throws(PlugboardError) -> UploadJournal {
        try await claim.opened(path, busy: .uploadBusy) { () throws(PlugboardError) in try UploadJournal(path, claim) }
    }

    deinit {
        end()
        close(descriptor)
    }

    /// Ends the use of the journal: nothing changes it afterwards, and another upload may open it.
    func end() {
        // If there is nothing to resume, the journal is removed.
        var file = stat()
        if fstat(descriptor, &file) == 0, file.st_size == 0 { remove() }
        isOpen.withLock { isOpen in
            isOpen = false
        }
        claim.unlock(descriptor)
    }

    private static func openLocked(_ path: String, _ claim: FileClaim) throws(PlugboardError) -> Int32 {
        // Another upload may have removed the file between opening and locking it.
        for _ in 0..<100 {
            let descriptor = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK, 0o600)
            guard descriptor >= 0 else { throw .journal(path) }
            if let number = claim.lock(descriptor) {
                close(descriptor)
                guard number == EWOULDBLOCK else { throw .journal(path, number) }
                break
            }
            guard isSame(descriptor, path) else {
                claim.unlock(descriptor)
                close(descriptor)
                continue
            }
            var file = stat()
            guard fstat(descriptor, &file) == 0, file.st_mode & S_IFMT == S_IFREG, file.st_uid == geteuid(),
                file.st_nlink == 1, isJournal(descriptor, file), fchmod(descriptor, 0o600) == 0
            else {
                claim.unlock(descriptor)
                close(descriptor)
                throw PlugboardError(
                    .uploadJournal,
                    "\(path) is not a journal of an upload, or not a regular file of this user's own. Name another file."
                )
            }
            return descriptor
        }
        throw PlugboardError(
            .uploadBusy, "Another upload with the journal \(path) is under way. Wait for it, or name another journal.")
    }

    private static func isSame(_ descriptor: Int32, _ path: String) -> Bool {
        var file = stat()
        var entry = stat()
        return fstat(descriptor, &file) == 0 && lstat(path, &entry) == 0 && file.st_ino == entry.st_ino
            && file.st_dev == entry.st_dev
    }

    /// Whether the file is a journal of any version, or the beginning of one: other files must not be overwritten.
    private static func isJournal(_ descriptor: Int32, _ file: stat) -> Bool {
        guard file.st_size <= sizeLimit, let bytes = read(descriptor, Int(file.st_size)) else { return false }
        // A crash can leave a part of the text, or zeros.
        if bytes.allSatisfy({ $0 == 0 }) || "{\"plugboardUpload\"".utf8.starts(with: bytes) { return true }
        guard let object = (try? JSONParser.parse(bytes))?.objectValue else {
            return bytes.starts(with: "{\"plugboardUpload\"".utf8)
        }
        return object["plugboardUpload"] != nil
    }

    private static func read(_ descriptor: Int32, _ size: Int) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: size)
        return pread(descriptor, &bytes, size, 0) == size ? bytes : nil
    }

    /// The form in which URLs are compared.
    static func key(of url: String) -> String { Bytes(NormalURL(url)?.text ?? url).sha256 }

    // MARK: Reading and writing

    /// The content of the file.
    enum Content: Equatable {
        /// It is new or damaged.
        case nothing
        /// An entry of an earlier upload to the same URL.
        case entry(Entry)
        /// Its resource is on a server that was not verified before, but is verified now: nothing is sent there.
        case unverified
        /// It belongs to an upload through another Unix socket or `connectTo`, or through none.
        case otherDetour
        /// It belongs to an upload to another URL, or to another version of Plugboard.
        case other
    }

    /// The error for `Content.otherDetour`.
    static let otherDetour = PlugboardError(
        .uploadJournal,
        "The journal belongs to an upload by another Unix socket or connectTo, or by none. Continue or cancel it by the "
            + "same, or name another journal.")

    /// The entry of an earlier upload.
    ///
    /// - Parameter target: The key of the upload's URL.
    func load(_ target: String, with trust: TransferTrust) -> Content {
        guard let bytes = content(), !bytes.isEmpty,
            let object = (try? JSONParser.parse(bytes))?.objectValue
        else { return .nothing }
        func integer(_ name: String) -> Int? {
            guard let number = object[name]?.numberValue?.integer(Int.self), number >= 0 else { return nil }
            return number
        }
        guard let version = integer("plugboardUpload") else { return .nothing }
        guard version == UploadJournal.version else { return .other }
        if let other = object["target"]?.stringValue, other != target { return .other }
        guard object["target"]?.stringValue == target, let url = object["url"]?.stringValue, Origin(url: url) != nil,
            let dialect = object["protocol"]?.stringValue.flatMap(UploadDialect.init(rawValue:)),
            let size = integer("size"), let modified = object["modified"]?.numberValue?.integer(Int64.self),
            let inode = object["inode"]?.numberValue?.integer(UInt64.self),
            let device = object["device"]?.numberValue?.integer(UInt64.self),
            let changed = object["changed"]?.numberValue?.integer(Int64.self)
        else { return .nothing }
        let entry = Entry(
            resource: UploadResource(
                url: url, dialect: dialect, expires: integer("expires").map { Int64($0) },
                appendLimit: integer("appendLimit")),
            file: UploadFile.Identity(
                size: size, modified: modified, inode: inode, device: device, changed: changed),
            trust: TransferTrust(
                isVerified: object["isVerified"]?.boolValue ?? true, detour: object["detour"]?.stringValue))
        guard entry.trust.detour == trust.detour else { return .otherDetour }
        return entry.trust.isVerified || !trust.isVerified ? .entry(entry) : .unverified
    }

    /// Writes the entry, and waits until it is on the disk. Does nothing if the upload has ended.
    func save(_ entry: Entry, target: String) throws(PlugboardError) {
        var object: JSONObject = [
            "plugboardUpload": .number(JSONNumber(UploadJournal.version)), "target": .string(target),
            "protocol": .string(entry.resource.dialect.rawValue), "url": .string(entry.resource.url),
            "size": .number(JSONNumber(entry.file.size)), "modified": .number(JSONNumber(entry.file.modified)),
            "inode": .number(JSONNumber(entry.file.inode)), "device": .number(JSONNumber(entry.file.device)),
            "changed": .number(JSONNumber(entry.file.changed)),
        ]
        if !entry.trust.isVerified { object["isVerified"] = false }
        if let detour = entry.trust.detour { object["detour"] = .string(detour) }
        if let expires = entry.resource.expires { object["expires"] = .number(JSONNumber(expires)) }
        if let limit = entry.resource.appendLimit { object["appendLimit"] = .number(JSONNumber(limit)) }
        let text = JSONWriter.write(.object(object)) + [UInt8(ascii: "\n")]
        let number: Int32? = isOpen.withLock { isOpen in
            guard isOpen else { return nil }
            let count = pwrite(descriptor, text, text.count, 0)
            guard count == text.count else { return count < 0 ? errno : ENOSPC }
            guard ftruncate(descriptor, off_t(text.count)) == 0, fdatasync(descriptor) == 0 else { return errno }
            return nil
        }
        if let number { throw .journal(path, number) }
    }

    /// Removes the entry; another one can be saved.
    func clear() { isOpen.withLock { isOpen in if isOpen { ftruncate(descriptor, 0) } } }

    /// Removes a journal whose upload the server has dropped since.
    package static func removeIfExpired(_ path: String, now: Int64) {
        // Read without the lock, because another upload of this journal would not wait for it.
        let reader = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK)
        guard reader >= 0 else { return }
        defer { close(reader) }
        // A journal in use is not expired. It is read again, because it may have changed before it was locked.
        guard isExpired(content(reader), now), let journal = try? UploadJournal(path),
            isExpired(journal.content(), now)
        else { return }
        journal.remove()
    }

    private static func isExpired(_ bytes: [UInt8]?, _ now: Int64) -> Bool {
        guard let bytes, let object = (try? JSONParser.parse(bytes))?.objectValue,
            object["plugboardUpload"] != nil,
            let expires = object["expires"]?.numberValue?.integer(Int64.self)
        else { return false }
        return expires <= now
    }

    private func content() -> [UInt8]? { UploadJournal.content(descriptor) }

    private static func content(_ descriptor: Int32) -> [UInt8]? {
        var file = stat()
        guard fstat(descriptor, &file) == 0, file.st_mode & S_IFMT == S_IFREG, file.st_size <= sizeLimit else {
            return nil
        }
        return read(descriptor, Int(file.st_size))
    }

    /// Removes the journal after the end of the upload, when there is nothing to continue.
    func remove() {
        isOpen.withLock { isOpen in
            guard isOpen else { return }
            isOpen = false
            if UploadJournal.isSame(descriptor, path) { unlink(path) }
        }
    }
}
