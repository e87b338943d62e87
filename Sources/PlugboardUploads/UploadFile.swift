import PlugboardMessages
import PlugboardSystem
import Synchronization

/// The file of an upload, in the state in which it was opened.
final class UploadFile: Sendable {
    /// Identifies a state of a file.
    struct Identity: Sendable, Equatable, Codable {
        var size: Int
        /// The time of the last change of its bytes, in nanoseconds since 1970.
        var modified: Int64
        var inode: UInt64
        var device: UInt64
        /// The time of the last change of any kind, in nanoseconds since 1970, which no program can set back.
        var changed: Int64

        /// Whether the content is the same, although the name, links or permissions may have changed.
        func hasContent(of other: Identity) -> Bool {
            var other = other
            other.changed = changed
            return self == other
        }

        fileprivate init(_ status: stat) {
            size = Int(status.st_size)
            modified = Int64(status.st_mtim.tv_sec) &* 1_000_000_000 &+ Int64(status.st_mtim.tv_nsec)
            inode = UInt64(status.st_ino)
            device = UInt64(status.st_dev)
            changed = Int64(status.st_ctim.tv_sec) &* 1_000_000_000 &+ Int64(status.st_ctim.tv_nsec)
        }
    }

    let path: String
    let identity: Identity
    private let descriptor: Int32

    init(_ path: String) throws(PlugboardError) {
        // Without O_NONBLOCK, opening a named pipe would wait for its writer.
        descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else {
            throw PlugboardError(
                .bodyRead, "The file \(path) cannot be opened.", underlying: systemText(errno))
        }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            close(descriptor)
            throw PlugboardError(
                .bodyRead,
                status.st_mode & S_IFMT == S_IFDIR
                    ? "\(path) is a folder. Name the files in it."
                    : "\(path) is not a regular file. Upload it as a stream.")
        }
        self.path = path
        identity = Identity(status)
    }

    deinit { close(descriptor) }

    /// Throws `upload.changed` if the file has changed since it was opened.
    func check() throws(PlugboardError) {
        var status = stat()
        guard fstat(descriptor, &status) == 0, Identity(status).hasContent(of: identity) else { throw changed }
    }

    var changed: PlugboardError {
        PlugboardError(.uploadChanged, "\(path) was changed while it was uploaded. Upload a copy of it.")
    }

    /// Reads at least one byte of the file; nil at its end.
    func read(at offset: Int, upTo count: Int) throws(PlugboardError) -> Bytes? {
        let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: count, alignment: 1)
        while true {
            let count = pread(descriptor, memory.baseAddress, memory.count, off_t(offset))
            if count > 0 { return Bytes(adopting: memory, count: count) }
            let number = errno
            if count < 0 && number == EINTR { continue }
            memory.deallocate()
            if count == 0 { return nil }
            throw PlugboardError(
                .bodyRead, "The file \(path) cannot be read.", underlying: systemText(number))
        }
    }
}

/// A range of a file as a body, which fails if the file is changed before the last piece is given.
final class UploadFilePart: BodySource {
    private static let pieceSize = 256 << 10
    private let file: UploadFile
    private let range: Range<Int>
    private let given: FurthestOffset
    private let offset: Mutex<Int>

    init(_ file: UploadFile, _ range: Range<Int>, _ given: FurthestOffset) {
        self.file = file
        self.range = range
        self.given = given
        offset = Mutex(range.lowerBound)
    }

    var length: Int? { range.count }
    var canRewind: Bool { true }

    func pull(_ pull: Pull) { pull.complete(offset.withLock { next(&$0) }) }

    func rewind() -> Bool {
        offset.withLock { $0 = range.lowerBound }
        return true
    }

    func copy() -> (any BodySource)? { UploadFilePart(file, range, given) }

    /// The same bytes, for reading without sending.
    var unsent: UploadFilePart { UploadFilePart(file, range, FurthestOffset()) }

    private func next(_ offset: inout Int) -> Piece {
        guard offset < range.upperBound else { return .end(trailers: Fields()) }
        do throws(PlugboardError) {
            let wanted = min(UploadFilePart.pieceSize, range.upperBound - offset)
            guard let bytes = try file.read(at: offset, upTo: wanted) else { throw file.changed }
            // Checked after reading, so that bytes that were read after a change are never given.
            try file.check()
            offset += bytes.count
            given.reach(offset)
            return .bytes(bytes)
        } catch {
            return .broken(error)
        }
    }
}
