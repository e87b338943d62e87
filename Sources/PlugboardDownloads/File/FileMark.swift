import PlugboardJSON

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Which file it is, and when its bytes were changed last.
struct FileMark: Sendable, Equatable {
    /// A process that is killed has written for so long, in nanoseconds, without a mark.
    private static let tolerance: Int64 = 2_000_000_000

    let inode: UInt64
    /// Nanoseconds since 1970.
    let changed: Int64

    init(inode: UInt64, changed: Int64) { (self.inode, self.changed) = (inode, changed) }

    /// Nil if the system does not say.
    init?(_ descriptor: Int32) {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { return nil }
        let (seconds, isFar) = Int64(status.st_mtim.tv_sec).multipliedReportingOverflow(by: 1_000_000_000)
        guard !isFar else { return nil }
        self.init(inode: UInt64(status.st_ino), changed: seconds &+ Int64(status.st_mtim.tv_nsec))
    }

    /// Whether the file, of which this is an earlier mark, was changed by a download alone: at once, and not before.
    func fits(_ now: FileMark) -> Bool {
        let (since, isFar) = now.changed.subtractingReportingOverflow(changed)
        return inode == now.inode && !isFar && (0...FileMark.tolerance).contains(since)
    }

    init?(_ value: JSONValue) {
        guard let members = value.arrayValue, members.count == 2,
            let inode = members[0].stringValue.flatMap({ UInt64($0) }),
            let changed = members[1].stringValue.flatMap({ Int64($0) })
        else { return nil }
        self.init(inode: inode, changed: changed)
    }

    /// Texts, because numbers of JSON are not exact everywhere.
    var value: JSONValue { .array([.string(String(inode)), .string(String(changed))]) }
}
