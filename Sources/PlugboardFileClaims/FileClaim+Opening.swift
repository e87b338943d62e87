import PlugboardSystem

extension FileClaim {
    /// Why a file is not locked.
    package enum Refusal: Error {
        /// The system's error; `ELOOP` for a symbolic link.
        case system(Int32)
        case busy
        /// Another process keeps replacing it.
        case replaced
        /// It is not a regular file of this user's own.
        case foreign
        /// It has the content of something else.
        case other
    }

    /// Opens and locks a file, and makes it if there is none.
    ///
    /// - Parameter isOwn: Whether the content of the locked file may be changed.
    package func openLocked(
        _ path: String, mode: mode_t, isOwn: (_ descriptor: Int32, _ status: stat) -> Bool
    ) throws(Refusal) -> Int32 {
        // Another task may have renamed or removed the file between opening and locking it.
        for _ in 0..<100 {
            let descriptor = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK, mode)
            guard descriptor >= 0 else { throw .system(errno) }
            if let number = lock(descriptor) {
                close(descriptor)
                throw number == EWOULDBLOCK ? .busy : .system(number)
            }
            var refusal = Refusal.replaced
            if FileClaim.isSame(descriptor, path) {
                let status = FileClaim.status(descriptor)
                if let status, status.st_nlink == 1, isOwn(descriptor, status) { return descriptor }
                refusal = status?.st_nlink == 1 ? .other : .foreign
            }
            unlock(descriptor)
            close(descriptor)
            guard case .replaced = refusal else { throw refusal }
        }
        throw .replaced
    }

    /// Replaces a file that this claim has locked by one with these bytes, and waits until it is on the disk. Both are
    /// locked then; the caller unlocks the earlier one.
    ///
    /// - Returns: The new file, which is open and was locked before it got the name.
    package func replace(_ path: String, with bytes: [UInt8]) throws(DraftFile.Failure) -> Int32 {
        var new: Int32 = -1
        do throws(DraftFile.Failure) {
            try DraftFile.replace(path, with: bytes, isSynced: true) { file in
                new = fcntl(file, F_DUPFD_CLOEXEC, 0)
                return new < 0 ? errno : lock(new)
            }
            return new
        } catch {
            if new >= 0 {
                unlock(new)
                close(new)
            }
            throw error
        }
    }

    /// Whether an open file is still the one at a path.
    package static func isSame(_ descriptor: Int32, _ path: String) -> Bool {
        var file = stat()
        return fstat(descriptor, &file) == 0 && id(of: path) == FileID(file)
    }

    /// The bytes of a regular file of this user's own that is not larger than the limit; nil if it is anything else.
    package static func bytes(of path: String, limit: Int) -> [UInt8]? {
        let file = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK)
        guard file >= 0 else { return nil }
        defer { close(file) }
        return bytes(of: file, limit: limit)
    }

    /// The bytes of an open file, with the same checks.
    package static func bytes(of descriptor: Int32, limit: Int) -> [UInt8]? {
        guard let status = status(descriptor), status.st_size <= limit else { return nil }
        var bytes = [UInt8](repeating: 0, count: Int(status.st_size))
        return pread(descriptor, &bytes, bytes.count, 0) == bytes.count ? bytes : nil
    }

    /// Nil for what is not a regular file of this user's own.
    private static func status(_ descriptor: Int32) -> stat? {
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_uid == geteuid() else {
            return nil
        }
        return status
    }
}
