import Foundation

/// Calls a closure when the entries of a folder have changed so many times: made, written, renamed or removed.
package final class FolderWatch: Sendable {
    private let descriptor: Int32

    /// - Parameter changes: After so many, `reached` is called, once, on a thread of its own.
    package init(_ folder: String, after changes: Int, _ reached: @escaping @Sendable () -> Void) throws {
        let descriptor = inotify_init1(Int32(IN_CLOEXEC))
        guard descriptor >= 0 else { throw SystemError.failed("inotify_init1", errno) }
        self.descriptor = descriptor
        let mask = IN_CREATE | IN_MODIFY | IN_MOVED_FROM | IN_MOVED_TO | IN_DELETE
        guard inotify_add_watch(descriptor, folder, UInt32(mask)) >= 0 else {
            throw SystemError.failed("inotify_add_watch", errno)
        }
        // The thread ends with the first change after the folder is gone, or when the count is reached.
        let own = dup(descriptor)
        Thread.detachNewThread {
            defer { close(own) }
            var left = changes
            var buffer = [UInt8](repeating: 0, count: 4096)
            while left > 0 {
                let count = read(own, &buffer, buffer.count)
                guard count > 0 else { return }
                var offset = 0
                while offset < count {
                    let length = buffer[(offset + 12)..<(offset + 16)].reversed().reduce(0) { $0 << 8 | Int($1) }
                    offset += 16 + length
                    left -= 1
                }
            }
            reached()
        }
    }

    deinit { close(descriptor) }
}
