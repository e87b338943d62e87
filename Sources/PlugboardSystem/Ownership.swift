/// The system's structure of a group. Its own name is the name of a property here.
private typealias Members = group

/// The owner and the permissions of a file, folder or symbolic link, which decide whether another user could change it.
///
/// There is one rule for plugins, for stores and for the data directory: the file must belong to this user or to root,
/// and no other user may write to it. A group whose only member is this user may write to a folder.
package struct Ownership: Equatable {
    /// How another user could change a file.
    package enum Flaw: Equatable {
        /// It belongs to another user.
        case owner
        /// Other users may write to it.
        case writable
    }

    /// The user's number.
    package var owner: uid_t
    /// The group's number.
    package var group: gid_t
    /// Type and permissions, as in `st_mode`.
    package var mode: mode_t

    /// The ownership with these values, for tests.
    package init(owner: uid_t, group: gid_t, mode: mode_t) {
        (self.owner, self.group, self.mode) = (owner, group, mode)
    }

    /// The ownership that `stat` or `lstat` has returned.
    package init(_ status: stat) { self.init(owner: status.st_uid, group: status.st_gid, mode: status.st_mode) }

    /// The permissions in octal digits, as in `chmod`.
    package var permissions: String { String(mode & 0o7777, radix: 8) }

    /// Whether it is a folder in which users can replace only their own files, such as `/tmp`.
    package var isSticky: Bool { mode & S_IFMT == S_IFDIR && mode & S_ISVTX != 0 }

    /// How a user other than this one and root could change the file; nil if no other user can.
    ///
    /// - Parameter allowsSticky: Whether all users may write to a sticky folder. Correct if the folder is only a step
    ///   of a path whose next step is checked too.
    package func flaw(for user: uid_t = geteuid(), allowsSticky: Bool = false) -> Flaw? {
        guard owner == user || owner == 0 else { return .owner }
        // The permissions of a link have no meaning.
        if mode & S_IFMT == S_IFLNK || allowsSticky && isSticky { return nil }
        if mode & S_IWOTH != 0 { return .writable }
        if mode & S_IWGRP == 0 { return nil }
        let isPrivate = mode & S_IFMT == S_IFDIR && user == geteuid() && Ownership.isPrivate(group: group)
        return isPrivate ? nil : .writable
    }

    /// Whether this process's user is the only member of a group: the group is the process's, has the user's name or
    /// lists the user, and lists no other. Systems with such groups make folders that they can write to (umask 0002).
    private static func isPrivate(group id: gid_t) -> Bool {
        // A group that does not fit in this buffer has other members.
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
