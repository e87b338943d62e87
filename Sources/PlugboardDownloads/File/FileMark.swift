import PlugboardSystem

/// Identifies a file and its last change.
struct FileMark: Sendable, Equatable, Codable {
    /// The longest time, in nanoseconds, for which a process may write without a mark before it is killed.
    private static let tolerance: Int64 = 2_000_000_000

    let inode: UInt64
    /// The time of the last change of its bytes (mtime), in nanoseconds since 1970.
    let changed: Int64
    /// The time of the last change of any kind (ctime), which programs cannot set.
    let noted: Int64

    init(inode: UInt64, changed: Int64, noted: Int64) {
        (self.inode, self.changed, self.noted) = (inode, changed, noted)
    }

    /// Nil if the system cannot tell.
    init?(_ descriptor: Int32) {
        var status = stat()
        guard fstat(descriptor, &status) == 0, let changed = FileMark.nanoseconds(status.st_mtim),
            let noted = FileMark.nanoseconds(status.st_ctim)
        else { return nil }
        self.init(inode: UInt64(status.st_ino), changed: changed, noted: noted)
    }

    private static func nanoseconds(_ time: timespec) -> Int64? {
        let (seconds, isFar) = Int64(time.tv_sec).multipliedReportingOverflow(by: 1_000_000_000)
        return isFar ? nil : seconds &+ Int64(time.tv_nsec)
    }

    /// Whether only a download has changed the file since this mark: within the tolerance, and not before the mark.
    func fits(_ now: FileMark) -> Bool {
        inode == now.inode && FileMark.isSoon(now.changed, after: changed) && FileMark.isSoon(now.noted, after: noted)
    }

    private static func isSoon(_ time: Int64, after earlier: Int64) -> Bool {
        let (since, isFar) = time.subtractingReportingOverflow(earlier)
        return !isFar && (0...tolerance).contains(since)
    }
}
