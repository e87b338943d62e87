import Foundation
import PlugboardMessages
import PlugboardSystem
import Testing

/// The rule of plugins, stores and the data directory alike.
@Suite struct OwnershipTests {
    private let user = geteuid()
    private let group = getegid()

    private func flaw(
        _ owner: uid_t, _ mode: mode_t, group: gid_t = 4321, allowsSticky: Bool = false
    ) -> Ownership.Flaw? {
        Ownership(owner: owner, group: group, mode: mode).flaw(allowsSticky: allowsSticky)
    }

    @Test(arguments: [S_IFREG, S_IFDIR, S_IFLNK])
    func `what belongs to this user or to root may be used, and nothing of another user`(_ type: mode_t) {
        #expect(flaw(user, type | 0o755) == nil)
        #expect(flaw(0, type | 0o755) == nil)
        #expect(flaw(user + 1234, type | 0o755) == .owner)
        #expect(flaw(user + 1234, type | 0o1777, allowsSticky: true) == .owner)
    }

    @Test(arguments: [mode_t(0o775), 0o757, 0o777, 0o1777])
    func `what others may write is refused, but for a link and the way through a sticky folder`(_ mode: mode_t) {
        #expect(flaw(user, S_IFREG | mode, allowsSticky: true) == .writable)
        #expect(flaw(user, S_IFDIR | mode) == .writable)
        #expect(flaw(user, S_IFDIR | mode, allowsSticky: true) == (mode == 0o1777 ? nil : .writable))
        #expect(flaw(user, S_IFLNK | mode) == nil)
    }

    @Test(.enabled(if: geteuid() == 0 && getegid() == 0, "root's group is known to hold root alone"))
    func `a group that holds this user alone may write folders, and no files`() {
        #expect(flaw(user, S_IFDIR | 0o775, group: group) == nil)
        #expect(flaw(user, S_IFDIR | 0o777, group: group) == .writable)
        #expect(flaw(user, S_IFREG | 0o775, group: group) == .writable)
        #expect(Ownership(owner: 1000, group: group, mode: S_IFDIR | 0o775).flaw(for: 1000) == .writable)
    }
}
