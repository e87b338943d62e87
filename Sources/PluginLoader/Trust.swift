import PlugboardKit
import PlugboardSystem

/// Refuses files that users other than root and this user can change.
///
/// All folders and links on the path are checked too, as sshd does for key files. In a sticky folder that all users may
/// write to, such as /tmp, only the owner of an entry can replace it; the owner of each entry is checked, so that such
/// a folder is allowed.
struct Trust {
    let user: uid_t

    /// Throws `loading.owner` or `loading.writable` for the first step that another user can change.
    func check(_ steps: [PathWalk.Step]) throws(PlugboardError) {
        guard let file = steps.last?.path else { return }
        for step in steps {
            let what = step.path == file ? "The plugin \(file)" : "\(step.path), on the path of the plugin \(file),"
            switch step.ownership.flaw(for: user, allowsSticky: true) {
            case nil: continue
            case .owner:
                throw PlugboardError(
                    .loadingOwner,
                    "\(what) belongs to user \(step.ownership.owner), who could replace the code. Only files of root and "
                        + "of user \(user) are loaded: chown it, or install the plugin elsewhere.")
            case .writable:
                throw PlugboardError(
                    .loadingWritable,
                    "\(what) can be written to by other users than its owner (mode \(step.ownership.permissions)), who "
                        + "could replace the code. Remove the permission: chmod go-w \(step.path)")
            }
        }
    }
}
