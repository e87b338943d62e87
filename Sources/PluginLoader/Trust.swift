import Glibc
import PlugboardKit

/// Whose files may become part of this process: those that only root and this user can change.
///
/// A file is as safe as every name on the way to it, so all of them are judged, as sshd judges the way to a key file.
/// A sticky folder that all may write, as /tmp is, lets only the owner of an entry replace it; since the owner of
/// each entry is judged too, such a folder is no danger.
struct Trust {
    let user: uid_t

    /// Throws `loading.owner` or `loading.writable` at the first step that somebody else could change.
    func check(_ steps: [PathWalk.Step]) throws(PlugboardError) {
        guard let file = steps.last?.path else { return }
        for step in steps {
            let what = step.path == file ? "The plugin \(file)" : "\(step.path), on the way to the plugin \(file),"
            switch step.ownership.flaw(for: user, allowsSticky: true) {
            case nil: continue
            case .owner:
                throw PlugboardError(
                    .loadingOwner,
                    "\(what) belongs to user \(step.ownership.owner), who could put other code there. Only what belongs to "
                        + "root or to user \(user) is loaded: chown it, or install the plugin elsewhere.")
            case .writable:
                throw PlugboardError(
                    .loadingWritable,
                    "\(what) can be written by others than its owner (mode \(step.ownership.permissions)), who "
                        + "could put other code there. Take that right away: chmod go-w \(step.path)")
            }
        }
    }
}
