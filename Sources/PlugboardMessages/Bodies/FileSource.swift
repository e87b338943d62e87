import PlugboardSystem
import Synchronization

/// A regular file that is read while it is sent; it can be rewound.
///
/// It breaks if the file becomes longer or shorter meanwhile, before its last piece is given, so that no reader takes
/// the bytes for the whole file. A file that is removed or replaced is read as it was opened.
///
/// Files are read on the loop, because a read from the page cache takes less time than a change of thread.
final class FileSource: BodySource {
    /// The open file, which several sources may share.
    private final class File: Sendable {
        let descriptor: Int32
        init(_ descriptor: Int32) { self.descriptor = descriptor }
        deinit { close(descriptor) }
    }

    private static let pieceSize = 256 << 10
    private let file: File
    private let path: String
    private let size: Int
    private let offset = Mutex(0)

    init(path: String) throws(PlugboardError) {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw FileSource.error(path, "cannot be opened", errno) }
        file = File(descriptor)
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            throw PlugboardError(.bodyRead, "The body's file \(path) is not a regular file. Send it as a stream.")
        }
        self.path = path
        size = Int(status.st_size)
    }

    private init(_ file: File, path: String, size: Int) {
        self.file = file
        self.path = path
        self.size = size
    }

    var length: Int? { size }
    var canRewind: Bool { true }

    func pull(_ pull: Pull) {
        pull.complete(offset.withLock { next(&$0) })
    }

    func copy() -> (any BodySource)? { FileSource(file, path: path, size: size) }

    func rewind() -> Bool {
        offset.withLock { $0 = 0 }
        return true
    }

    private func next(_ offset: inout Int) -> Piece {
        let wanted = min(FileSource.pieceSize, size - offset)
        if offset + wanted == size, wanted > 0 || size == 0, hasGrown { return .broken(changed("longer")) }
        if wanted == 0 { return .end(trailers: Fields()) }
        let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: wanted, alignment: 1)
        let count = pread(file.descriptor, memory.baseAddress, wanted, off_t(offset))
        let cause = errno
        guard count > 0 else {
            memory.deallocate()
            return .broken(count == 0 ? changed("shorter") : FileSource.error(path, "cannot be read", cause))
        }
        offset += count
        return .bytes(Bytes(adopting: memory, count: count))
    }

    private var hasGrown: Bool {
        var status = stat()
        return fstat(file.descriptor, &status) == 0 && Int(status.st_size) > size
    }

    private func changed(_ how: String) -> PlugboardError {
        PlugboardError(.bodyRead, "The body's file \(path) became \(how) while it was sent. Send a copy of it.")
    }

    private static func error(_ path: String, _ what: String, _ cause: Int32) -> PlugboardError {
        PlugboardError(.bodyRead, "The body's file \(path) \(what).", underlying: systemText(cause))
    }
}
