#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The size of a file, and when it was last written. The stamp of a database's write-ahead log shows, without opening
/// the database, whether other processes may have written to it.
@_spi(QueueStores)
public struct FileStamp: Equatable, Sendable {
    private let seconds: Int
    private let nanoseconds: Int
    private let size: Int
    private let inode: UInt64

    /// Nil if there is no such file. Makes a system call of about a microsecond: the log of a database that several
    /// processes use is on a local disk.
    init?(_ path: String) {
        var info = stat()
        guard stat(path, &info) == 0 else { return nil }
        seconds = info.st_mtim.tv_sec
        nanoseconds = info.st_mtim.tv_nsec
        size = Int(info.st_size)
        inode = UInt64(info.st_ino)
    }

    /// Whether every later write changes the stamp. The clock of files moves in steps of some milliseconds.
    var isSettled: Bool {
        var now = timespec()
        clock_gettime(CLOCK_REALTIME, &now)
        let (age, isFar) = now.tv_sec.subtractingReportingOverflow(seconds)
        if isFar || abs(age) > 1 { return !isFar && age > 0 }
        return age * 1_000_000_000 + now.tv_nsec - nanoseconds > 50_000_000
    }
}
