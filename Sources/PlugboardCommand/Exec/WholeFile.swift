import PlugboardDownloads
import PlugboardKit

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// A file that is written under a temporary name and renamed when it is complete, so that no incomplete file is seen.
final class WholeFile {
    private let path: String
    private let temporary: String
    private let descriptor: Int32
    private var isThere = false

    init(_ path: String) throws(DriverError) {
        self.path = path
        temporary = "\(path).\(String(UInt64.random(in: .min ... .max), radix: 36)).part"
        descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)
        guard descriptor >= 0 else {
            throw DriverError(.invalid, "\(temporary) cannot be written: \(systemText(errno)).")
        }
    }

    deinit {
        close(descriptor)
        if !isThere { unlink(temporary) }
    }

    /// Returns the error, or nil. Blocks.
    func write(_ bytes: Bytes) -> PlugboardError? {
        bytes.withUnsafeBytes { writeAll($0, to: descriptor) }.map { number in
            PlugboardError(.downloadWrite, "\(temporary) cannot be written.", underlying: systemText(number))
        }
    }

    /// Renames the file, once its bytes are on the disk.
    func appear() throws(DriverError) {
        guard fsync(descriptor) == 0, rename(temporary, path) == 0 else {
            throw DriverError(.aborted, "\(path) cannot be written: \(systemText(errno)).")
        }
        isThere = true
    }
}
