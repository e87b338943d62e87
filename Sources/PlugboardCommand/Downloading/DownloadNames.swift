import Plugboard
import PlugboardKit
import PlugboardSystem
import Synchronization

/// The paths of the files of one command, each of which only one download has.
final class DownloadNames: Sendable {
    private struct State {
        var owners: [String: Int] = [:]
        /// The number of the last name that was tried, by the path that was asked for.
        var numbers: [String: Int] = [:]
        /// The path that each download has asked for, and the path that it has got.
        var given: [Int: (asked: String, path: String)] = [:]
    }

    private let state = Mutex(State())
    /// Whether a path that is taken becomes `path.1`, `path.2`, and so on.
    private let renames: Bool

    init(renames: Bool) { self.renames = renames }

    /// The path for a download; nil if another download has it. Returns the same for each call with the same path.
    ///
    /// - Parameter minding: Whether the path of a file that exists is taken, too, if paths are renamed.
    func path(_ path: String, for job: Int, minding: Bool) -> String? {
        state.withLock { state in
            if let given = state.given[job], given.asked == path || given.path == path { return given.path }
            guard renames else {
                guard state.owners[path] ?? job == job else { return nil }
                state.owners[path] = job
                return path
            }
            var free = path
            while (state.owners[free] ?? job) != job || minding && DownloadNames.isThere(free) {
                let number = (state.numbers[path] ?? 0) + 1
                state.numbers[path] = number
                free = "\(path).\(number)"
            }
            state.owners[free] = job
            state.given[job] = (path, free)
            return free
        }
    }

    private static func isThere(_ path: String) -> Bool {
        var status = stat()
        return lstat(path, &status) == 0
    }
}
