import PlugboardSystem

/// The disk space of a store's file.
public struct DiskSpace: Sendable, Equatable {
    /// Bytes that the file takes on the disk, without its log.
    public let file: Int
    /// Bytes that this user can still write.
    public let available: Int
    /// Bytes of the whole file system.
    public let total: Int

    /// Bytes that a store keeps free, for its log and for other programs.
    public var reserve: Int { min(max(total / 16, 2 << 20), 32 << 20) }

    /// Nil if the system cannot tell.
    init?(of path: String) {
        var (status, system) = (stat(), statvfs())
        guard lstat(path, &status) == 0, statvfs(path, &system) == 0 else { return nil }
        file = Int(clamping: status.st_blocks) &* 512
        available = DiskSpace.bytes(system.f_bavail, system)
        total = DiskSpace.bytes(system.f_blocks, system)
    }

    private static func bytes(_ blocks: some BinaryInteger, _ system: statvfs) -> Int {
        let (bytes, isOut) = Int(clamping: blocks).multipliedReportingOverflow(by: Int(clamping: system.f_frsize))
        return isOut ? .max >> 8 : bytes
    }
}
