import PlugboardFileClaims
import PlugboardJSONCoding
import PlugboardMessages
import PlugboardSystem
import Synchronization

/// The resource on the server that receives the bytes of one upload.
struct UploadResource: Sendable, Equatable, Codable {
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
/// It has the mode 0600, because it contains the URL of the upload's resource. Each entry is a new file, which replaces
/// the earlier one when it is on the disk; a damaged journal is not used.
package final class UploadJournal: Sendable {
    /// The content of the journal.
    struct Entry: Sendable, Equatable {
        var resource: UploadResource
        var file: UploadFile.Identity
        /// The trust with which the upload was sent to the resource.
        var trust: TransferTrust
    }

    /// The members by which a journal of any version is recognized.
    private struct Head: Decodable {
        let plugboardUpload: Int
        let target: String?
    }

    /// All members of a journal of this version.
    private struct Text: Codable {
        let plugboardUpload: Int
        let target: String
        let resource: UploadResource
        let file: UploadFile.Identity
        let isVerified: Bool
        let detour: String?
    }

    private static let version = 1
    private static let sizeLimit = 64 << 10
    private let path: String
    private let claim: FileClaim
    private let state: Mutex<State>

    private struct State {
        /// The locked file.
        var descriptor: Int32
        /// False when the upload has ended.
        var isOpen = true
    }

    /// Opens the journal, and locks it until `end`, or until the object is released.
    init(_ path: String, _ claim: FileClaim = FileClaim()) throws(PlugboardError) {
        self.path = path
        self.claim = claim
        state = Mutex(State(descriptor: try UploadJournal.openLocked(path, claim)))
    }

    /// Opens and locks the journal. Waits for a cancelled upload of this process that still holds the lock.
    static func opened(_ path: String, _ claim: FileClaim) async throws(PlugboardError) -> UploadJournal {
        try await claim.opened(path, busy: .uploadBusy) { () throws(PlugboardError) in try UploadJournal(path, claim) }
    }

    deinit {
        end()
        _ = state.withLock { close($0.descriptor) }
    }

    /// Ends the use of the journal: nothing changes it afterwards, and another upload may open it.
    func end() {
        // If there is nothing to resume, the journal is removed.
        if content()?.isEmpty == true { remove() }
        let descriptor = state.withLock { state in
            state.isOpen = false
            return state.descriptor
        }
        // Outside the lock, because it calls those that wait for the file.
        claim.unlock(descriptor)
    }

    private static func openLocked(_ path: String, _ claim: FileClaim) throws(PlugboardError) -> Int32 {
        do throws(FileClaim.Refusal) {
            return try claim.openLocked(path, mode: 0o600) { descriptor, _ in
                isJournal(descriptor) && fchmod(descriptor, 0o600) == 0
            }
        } catch {
            switch error {
            case .system(let number): throw .journal(path, number)
            case .busy, .replaced:
                throw PlugboardError(
                    .uploadBusy,
                    "Another upload with the journal \(path) is under way. Wait for it, or name another journal.")
            case .foreign, .other:
                throw PlugboardError(
                    .uploadJournal,
                    "\(path) is not a journal of an upload, or not a regular file of this user's own. Name another file."
                )
            }
        }
    }

    /// Whether the file is a journal of any version, or the beginning of one: other files must not be overwritten.
    private static func isJournal(_ descriptor: Int32) -> Bool {
        guard let bytes = FileClaim.bytes(of: descriptor, limit: sizeLimit) else { return false }
        // A crash can leave a part of the text, or zeros.
        if bytes.allSatisfy({ $0 == 0 }) || "{\"plugboardUpload\"".utf8.starts(with: bytes) { return true }
        return decode(Head.self, bytes) != nil || bytes.starts(with: "{\"plugboardUpload\"".utf8)
    }

    private static func decode<Value: Decodable>(_ type: Value.Type, _ bytes: [UInt8]) -> Value? {
        try? JSONValueDecoder(strict: false).decode(type, from: bytes)
    }

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
        guard let bytes = content(), let head = UploadJournal.decode(Head.self, bytes) else { return .nothing }
        guard head.plugboardUpload == UploadJournal.version, head.target ?? target == target else { return .other }
        guard let text = UploadJournal.decode(Text.self, bytes), Origin(url: text.resource.url) != nil,
            text.file.size >= 0, text.resource.appendLimit ?? 0 >= 0
        else { return .nothing }
        let entry = Entry(
            resource: text.resource, file: text.file,
            trust: TransferTrust(isVerified: text.isVerified, detour: text.detour))
        guard entry.trust.detour == trust.detour else { return .otherDetour }
        return entry.trust.isVerified || !trust.isVerified ? .entry(entry) : .unverified
    }

    /// Writes the entry, and waits until it is on the disk. Does nothing if the upload has ended, or if the journal was
    /// removed or replaced by another file.
    func save(_ entry: Entry, target: String) throws(PlugboardError) {
        let members = Text(
            plugboardUpload: UploadJournal.version, target: target, resource: entry.resource, file: entry.file,
            isVerified: entry.trust.isVerified, detour: entry.trust.detour)
        // Encoding fails only for infinite numbers and NaN, and a journal has neither.
        let text = ((try? JSONValueEncoder().bytes(of: members)) ?? []) + [UInt8(ascii: "\n")]
        let replaced: Int32?
        do throws(DraftFile.Failure) {
            replaced = try state.withLock { state throws(DraftFile.Failure) -> Int32? in
                guard state.isOpen, FileClaim.isSame(state.descriptor, path) else { return nil }
                let earlier = state.descriptor
                state.descriptor = try claim.replace(path, with: text)
                return earlier
            }
        } catch {
            throw .journal(path, error.number)
        }
        guard let replaced else { return }
        claim.unlock(replaced)
        close(replaced)
    }

    /// Removes the entry; another one can be saved.
    func clear() { state.withLock { state in if state.isOpen { ftruncate(state.descriptor, 0) } } }

    /// Removes a journal whose upload the server has dropped since.
    package static func removeIfExpired(_ path: String, now: Int64) {
        // Read without the lock, because another upload of this journal would not wait for it. A journal in use is not
        // expired. It is read again, because it may have changed before it was locked.
        guard isExpired(FileClaim.bytes(of: path, limit: sizeLimit), now), let journal = try? UploadJournal(path),
            isExpired(journal.content(), now)
        else { return }
        journal.remove()
    }

    private static func isExpired(_ bytes: [UInt8]?, _ now: Int64) -> Bool {
        bytes.flatMap { decode(Text.self, $0)?.resource.expires }.map { $0 <= now } ?? false
    }

    private func content() -> [UInt8]? {
        state.withLock { FileClaim.bytes(of: $0.descriptor, limit: UploadJournal.sizeLimit) }
    }

    /// Removes the journal after the end of the upload, when there is nothing to continue.
    func remove() {
        state.withLock { state in
            guard state.isOpen else { return }
            state.isOpen = false
            guard FileClaim.isSame(state.descriptor, path) else { return }
            unlink(path)
        }
    }
}
