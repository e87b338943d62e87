import Glibc
import PlugboardKit

/// The bytes of a file, read once, and what tells whether the path still names them.
///
/// The bytes are a copy: a mapping of a file that is cut meanwhile ends the process with SIGBUS.
struct FileSnapshot {
    /// What changes whenever a file is replaced or written.
    struct Identity: Equatable {
        private let numbers: [Int64]
        fileprivate let size: Int64

        /// Of what is at a path now; nil if nothing is.
        init?(path: String) {
            var status = stat()
            guard lstat(path, &status) == 0 else { return nil }
            self.init(status)
        }

        fileprivate init?(descriptor: Int32) {
            var status = stat()
            guard fstat(descriptor, &status) == 0 else { return nil }
            self.init(status)
        }

        private init?(_ status: stat) {
            guard status.st_mode & S_IFMT == S_IFREG else { return nil }
            size = Int64(status.st_size)
            numbers = [
                Int64(bitPattern: UInt64(status.st_dev)), Int64(bitPattern: UInt64(status.st_ino)), size,
                Int64(status.st_mtim.tv_sec), Int64(status.st_mtim.tv_nsec),
                Int64(status.st_ctim.tv_sec), Int64(status.st_ctim.tv_nsec),
            ]
        }
    }

    /// 512 MiB: far beyond any plugin, and little enough to be held in memory for a moment.
    static let limit: Int64 = 512 << 20

    let bytes: [UInt8]
    let identity: Identity

    /// Reads a path without links.
    init(path: String, limit: Int64 = FileSnapshot.limit) throws(PlugboardError) {
        // Not blocking: what is there now may be a pipe, which is then refused.
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard descriptor >= 0, let identity = Identity(descriptor: descriptor) else {
            let cause = descriptor < 0 ? String(cString: strerror(errno)) : "not a regular file"
            if descriptor >= 0 { close(descriptor) }
            throw PlugboardError(
                .loadingMissing, "The plugin \(path) cannot be read. Let this user read the file.", underlying: cause)
        }
        defer { close(descriptor) }
        guard identity.size <= limit else {
            throw PlugboardError(
                .loadingSize,
                "The plugin \(path) has \(identity.size) bytes, more than the \(limit) that are read. Strip it of its "
                    + "debug information.")
        }
        bytes = FileSnapshot.read(descriptor, count: Int(identity.size))
        guard bytes.count == Int(identity.size), Identity(descriptor: descriptor) == identity else {
            throw FileSnapshot.changed(path, "while it was read")
        }
        self.identity = identity
    }

    static func changed(_ path: String, _ when: String) -> PlugboardError {
        PlugboardError(
            .loadingChanged,
            "The plugin \(path) changed \(when), so nobody knows which code runs. Install plugins by renaming a "
                + "finished file into place, and start the program again.")
    }

    /// Reads as much as there is, up to `count`.
    private static func read(_ descriptor: Int32, count: Int) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            while filled < count {
                let got = Glibc.read(descriptor, buffer.baseAddress?.advanced(by: filled), count - filled)
                if got < 0 && errno == EINTR { continue }
                guard got > 0 else { break }
                filled += got
            }
        }
    }
}
