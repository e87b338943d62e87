import PlugboardKit
import PlugboardSQLite

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The files of large bodies, in the folder `NAME-bodies` beside the database, each named after its entry's id.
///
/// A file belongs to a row of the table `file`: it is made after the row, in the same transaction, and removed after
/// the transaction that removes the row, so that a process may be killed at any moment. It is written under the name
/// `ID.new`, and renamed when its entry becomes visible. A file without a row is removed when the database is opened.
struct BodyFiles: Sendable {
    private let folder: String

    init(beside database: String) { folder = "\(database)-bodies" }

    private func path(_ id: Int64) -> String { "\(folder)/\(id)" }
    private func newPath(_ id: Int64) -> String { "\(folder)/\(id).new" }

    // MARK: Writing

    /// Makes the file of an entry that is not visible yet.
    func create(_ id: Int64) throws(SQLiteFailure) -> BodyFile {
        // Only their owner may read the folder and its files.
        if mkdir(folder, 0o700) != 0, errno != EEXIST { throw BodyFiles.failure("The folder \(folder) cannot be made") }
        let path = newPath(id)
        let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw BodyFiles.failure("A body's file cannot be made in \(folder)") }
        return BodyFile(id, path, descriptor)
    }

    /// Gives a complete file its name.
    func publish(_ body: BodyFile) throws(SQLiteFailure) {
        if rename(newPath(body.id), path(body.id)) != 0 {
            throw BodyFiles.failure("A body's file cannot be renamed in \(folder)")
        }
        body.isPublished = true
    }

    /// Removes the file of an entry, complete or not. Best effort: a remaining file is removed at the next opening.
    func remove(_ id: Int64) {
        unlink(path(id))
        unlink(newPath(id))
    }

    /// The ids of all files.
    var ids: Set<Int64> {
        guard let stream = opendir(folder) else { return [] }
        defer { closedir(stream) }
        var ids: Set<Int64> = []
        while let entry = readdir(stream) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) {
                String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
            }
            if let id = Int64(name.hasSuffix(".new") ? String(name.dropLast(4)) : name) { ids.insert(id) }
        }
        return ids
    }

    /// The error of the last system call.
    fileprivate static func failure(_ what: String) -> SQLiteFailure {
        let reason = "\(what): \(String(cString: strerror(errno)))."
        return [ENOSPC, EDQUOT, EFBIG].contains(errno) ? .full(reason) : .inaccessible(reason)
    }

    // MARK: Reading

    /// Reads the pieces with these numbers, and checks them against `sums`, which has eight bytes for each piece.
    /// Throws if the system cannot read them, which does not count as damage.
    func pieces(
        _ numbers: Range<Int>, of id: Int64, length: Int, sums: UnsafeRawBufferPointer
    ) throws(SQLiteFailure) -> CacheFile.Pieces {
        guard sums.count == 8 * numbers.count else { return .damaged }
        let descriptor = open(path(id), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard descriptor >= 0 else {
            switch errno {
            case ENOENT: return .absent
            // A link, or not a file at all.
            case ELOOP, ENXIO, EISDIR: return .damaged
            default: throw BodyFiles.failure("A body's file cannot be opened in \(folder)")
            }
        }
        defer { close(descriptor) }
        var pieces: [Bytes] = []
        for (index, number) in numbers.enumerated() {
            let start = number * PieceBuffer.pieceSize
            let sum = Int64(littleEndian: sums.loadUnaligned(fromByteOffset: 8 * index, as: Int64.self))
            var failure: SQLiteFailure?
            let piece = PiecePool.shared.piece(of: min(PieceBuffer.pieceSize, length - start)) { buffer in
                guard BodyFiles.read(descriptor, at: start, into: buffer) else {
                    if errno != 0 { failure = BodyFiles.failure("A body's file cannot be read in \(folder)") }
                    return false
                }
                return CacheFile.sum(UnsafeRawBufferPointer(buffer), CacheFile.pieceID(id, number)) == sum
            }
            if let failure { throw failure }
            guard let piece else { return .damaged }
            pieces.append(piece)
        }
        return .intact(pieces)
    }

    /// Whether all bytes were read. If not, `errno` has the reason, or is 0 if the file is too short.
    private static func read(_ descriptor: Int32, at start: Int, into buffer: UnsafeMutableRawBufferPointer) -> Bool {
        var done = 0
        while done < buffer.count {
            let count = pread(
                descriptor, buffer.baseAddress?.advanced(by: done), buffer.count - done, off_t(start + done))
            if count < 0 && errno == EINTR { continue }
            if count <= 0 {
                // A folder in place of the file counts as damage.
                if count == 0 || errno == EISDIR { errno = 0 }
                return false
            }
            done += count
        }
        return true
    }
}

/// A file that is being written.
///
/// Sendable because it is used on the store's thread only, and released by its last user.
final class BodyFile: @unchecked Sendable {
    let id: Int64
    /// The sums of the pieces, eight bytes each.
    private(set) var sums: [UInt8] = []
    private(set) var length = 0
    /// Whether it has the name under which it is read.
    fileprivate(set) var isPublished = false
    private let newPath: String
    private let descriptor: Int32

    fileprivate init(_ id: Int64, _ newPath: String, _ descriptor: Int32) {
        self.id = id
        self.newPath = newPath
        self.descriptor = descriptor
    }

    deinit {
        close(descriptor)
        // The transaction that made its row may have failed, and then no row refers to the file.
        if !isPublished { unlink(newPath) }
    }

    func append(_ piece: Bytes) throws(SQLiteFailure) {
        try piece.withUnsafeBytes { (bytes) throws(SQLiteFailure) in
            var done = 0
            while done < bytes.count {
                let count = write(descriptor, bytes.baseAddress?.advanced(by: done), bytes.count - done)
                if count < 0 && errno == EINTR { continue }
                if count <= 0 { throw BodyFiles.failure("A body's file cannot be written") }
                done += count
            }
            let sum = CacheFile.sum(bytes, CacheFile.pieceID(id, sums.count / 8))
            withUnsafeBytes(of: sum.littleEndian) { sums.append(contentsOf: $0) }
            length += bytes.count
        }
    }
}
