import PlugboardJSON
import PlugboardSystem

/// Which file it is, and when it was changed last.
struct FileMark: Sendable, Equatable {
    /// A process that is killed has written for so long, in nanoseconds, without a mark.
    private static let tolerance: Int64 = 2_000_000_000

    let inode: UInt64
    /// When its bytes were changed (mtime), in nanoseconds since 1970.
    let changed: Int64
    /// When the system has noted a change of any kind (ctime), which programs cannot set.
    let noted: Int64

    init(inode: UInt64, changed: Int64, noted: Int64) {
        (self.inode, self.changed, self.noted) = (inode, changed, noted)
    }

    /// Nil if the system does not say.
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

    /// Whether the file, of which this is an earlier mark, was changed by a download alone: at once, and not before.
    func fits(_ now: FileMark) -> Bool {
        inode == now.inode && FileMark.isSoon(now.changed, after: changed) && FileMark.isSoon(now.noted, after: noted)
    }

    private static func isSoon(_ time: Int64, after earlier: Int64) -> Bool {
        let (since, isFar) = time.subtractingReportingOverflow(earlier)
        return !isFar && (0...tolerance).contains(since)
    }

    init?(_ value: JSONValue) {
        guard let members = value.arrayValue, members.count == 3,
            let inode = members[0].stringValue.flatMap({ UInt64($0) }),
            let changed = members[1].stringValue.flatMap({ Int64($0) }),
            let noted = members[2].stringValue.flatMap({ Int64($0) })
        else { return nil }
        self.init(inode: inode, changed: changed, noted: noted)
    }

    /// Texts, because numbers of JSON are not exact everywhere.
    var value: JSONValue { .array([.string(String(inode)), .string(String(changed)), .string(String(noted))]) }
}
