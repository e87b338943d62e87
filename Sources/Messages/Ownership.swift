#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The system's description of a group, whose name is also that of a property here.
private typealias Members = group

/// Whom a file, folder or symbolic link belongs to, and who may write it: whether another user could change what this
/// process relies on.
///
/// The one rule for plugins, for stores and for the data directory: it belongs to this user or to root, and no other
/// user may write it. A folder may also be written by a group that holds this user alone.
package struct Ownership: Equatable {
    package enum Flaw: Equatable {
        /// It belongs to another user.
        case owner
        /// Other users may write it.
        case writable
    }

    package var owner: uid_t
    package var group: gid_t
    /// As in `st_mode`.
    package var mode: mode_t

    package init(owner: uid_t, group: gid_t, mode: mode_t) {
        (self.owner, self.group, self.mode) = (owner, group, mode)
    }

    package init(_ status: stat) { self.init(owner: status.st_uid, group: status.st_gid, mode: status.st_mode) }

    /// As `chmod` writes it.
    package var permissions: String { String(mode & 0o7777, radix: 8) }

    /// Whether it is a folder of which users may replace only what belongs to them, as of `/tmp`.
    package var isSticky: Bool { mode & S_IFMT == S_IFDIR && mode & S_ISVTX != 0 }

    /// What another user than this one and root could change; nil if nothing.
    ///
    /// - Parameter allowsSticky: whether all may write a sticky folder: right where the folder only leads to what is used,
    ///   and that is judged as well.
    package func flaw(for user: uid_t = geteuid(), allowsSticky: Bool = false) -> Flaw? {
        guard owner == user || owner == 0 else { return .owner }
        // A link's own permissions mean nothing.
        if mode & S_IFMT == S_IFLNK || allowsSticky && isSticky { return nil }
        if mode & S_IWOTH != 0 { return .writable }
        if mode & S_IWGRP == 0 { return nil }
        let isPrivate = mode & S_IFMT == S_IFDIR && user == geteuid() && Ownership.isPrivate(group: group)
        return isPrivate ? nil : .writable
    }

    /// Whether a group holds this process's user alone: it is the process's, bears the user's name or lists the user,
    /// and lists no other. Systems with such groups make folders writable by them (umask 0002).
    private static func isPrivate(group id: gid_t) -> Bool {
        // One of the system's that has no room here lists others.
        let room = 16 << 10
        return withUnsafeTemporaryAllocation(of: CChar.self, capacity: 2 * room) { buffer in
            guard let start = buffer.baseAddress, id == getegid() else { return false }
            var user = passwd()
            var userFound: UnsafeMutablePointer<passwd>?
            var members = Members()
            var membersFound: UnsafeMutablePointer<Members>?
            guard getpwuid_r(geteuid(), &user, start, room, &userFound) == 0, userFound != nil,
                getgrgid_r(id, &members, start + room, room, &membersFound) == 0, membersFound != nil
            else { return false }
            var next = members.gr_mem
            var isListed = false
            while let member = next?.pointee {
                guard strcmp(member, user.pw_name) == 0 else { return false }
                isListed = true
                next = next?.advanced(by: 1)
            }
            return isListed || strcmp(members.gr_name, user.pw_name) == 0
        }
    }
}
