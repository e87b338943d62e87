#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif
import Synchronization

/// A file that is read while it is sent; a body that can begin again.
///
/// Regular files only: they are read on the loop, for the page cache answers faster than a thread hop.
final class FileSource: BodySource {
    private struct State {
        var offset = 0
        var isOpen = true
    }

    private static let pieceSize = 256 << 10
    private let file: Int32
    private let path: String
    private let size: Int
    private let state = Mutex(State())

    init(path: String) throws(PlugboardError) {
        file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { throw FileSource.error(path, "cannot be opened", errno) }
        var status = stat()
        guard fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            close(file)
            throw PlugboardError(.bodyRead, "The body's file \(path) is not a regular file. Send it as a stream.")
        }
        self.path = path
        size = Int(status.st_size)
    }

    deinit { if state.withLock({ $0.isOpen }) { close(file) } }

    var length: Int? { size }
    var canRewind: Bool { true }

    func pull(_ pull: Pull) {
        pull.answer(state.withLock { next(&$0) })
    }

    func rewind() -> Bool {
        state.withLock { state in
            state.offset = 0
            return state.isOpen
        }
    }

    private func next(_ state: inout State) -> Piece {
        let wanted = min(FileSource.pieceSize, size - state.offset)
        if wanted == 0 { return .end(trailers: Fields()) }
        let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: wanted, alignment: 1)
        let count = pread(file, memory.baseAddress, wanted, off_t(state.offset))
        let cause = errno
        guard count > 0 else {
            memory.deallocate()
            return .broken(
                count == 0
                    ? PlugboardError(.bodyRead, "The body's file \(path) has become shorter while it was sent.")
                    : FileSource.error(path, "cannot be read", cause))
        }
        state.offset += count
        return .bytes(Bytes(adopting: memory, count: count))
    }

    private static func error(_ path: String, _ what: String, _ cause: Int32) -> PlugboardError {
        PlugboardError(.bodyRead, "The body's file \(path) \(what).", underlying: String(cString: strerror(cause)))
    }
}
