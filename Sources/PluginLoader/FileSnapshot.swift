import PlugboardKit
import PlugboardSystem

/// The bytes of a file, which are read once, and the identity of the file, to detect a later change.
///
/// The bytes are a copy: reading the mapping of a file that is truncated meanwhile would end the process with SIGBUS.
struct FileSnapshot {
    /// Properties of a file that change when it is replaced or written.
    struct Identity: Equatable {
        private let numbers: [Int64]
        fileprivate let size: Int64

        /// The identity of the file at a path; nil if there is none.
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

    /// 512 MiB: more than any plugin needs, and little enough to be held in memory for a short time.
    static let limit: Int64 = 512 << 20

    let bytes: [UInt8]
    let identity: Identity

    /// Reads the file at a path without links.
    init(path: String, limit: Int64 = FileSnapshot.limit) throws(PlugboardError) {
        // Not blocking, because there may be a pipe, which is refused then.
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard descriptor >= 0, let identity = Identity(descriptor: descriptor) else {
            let cause = descriptor < 0 ? systemText(errno) : "not a regular file"
            if descriptor >= 0 { close(descriptor) }
            throw PlugboardError(
                .loadingMissing, "The plugin \(path) cannot be read. Allow this user to read it.", underlying: cause)
        }
        defer { close(descriptor) }
        guard identity.size <= limit else {
            throw PlugboardError(
                .loadingSize,
                "The plugin \(path) has \(identity.size) bytes, more than the limit of \(limit). Strip its debug "
                    + "information.")
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
            "The plugin \(path) changed \(when), so that the checked bytes may not be the code that runs. Install "
                + "plugins by renaming a complete file, and restart the program.")
    }

    /// Reads up to `count` bytes.
    private static func read(_ descriptor: Int32, count: Int) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            while filled < count {
                let got = PlugboardSystem.read(descriptor, buffer.baseAddress?.advanced(by: filled), count - filled)
                if got < 0 && errno == EINTR { continue }
                guard got > 0 else { break }
                filled += got
            }
        }
    }
}
