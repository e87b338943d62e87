import Foundation

/// Calls a closure after a number of changes to the entries of a folder: made, written, renamed or removed.
package final class FolderWatch: Sendable {
    private let descriptor: Int32
    /// Opens when the watch's thread has ended.
    package let ended = Gate()

    /// - Parameter changes: The number of changes after which `reached` is called once, on a thread of its own.
    package init(_ folder: String, after changes: Int, _ reached: @escaping @Sendable () -> Void) throws {
        let descriptor = inotify_init1(Int32(IN_CLOEXEC))
        guard descriptor >= 0 else { throw SystemError.failed("inotify_init1", errno) }
        self.descriptor = descriptor
        let mask = IN_CREATE | IN_MODIFY | IN_MOVED_FROM | IN_MOVED_TO | IN_DELETE
        guard inotify_add_watch(descriptor, folder, UInt32(mask)) >= 0 else {
            throw SystemError.failed("inotify_add_watch", errno)
        }
        // The thread ends when the count is reached or the folder is gone (IN_IGNORED).
        let own = dup(descriptor)
        Thread.detachNewThread { [ended] in
            defer {
                close(own)
                ended.open()
            }
            var left = changes
            var buffer = [UInt8](repeating: 0, count: 4096)
            while left > 0 {
                let count = read(own, &buffer, buffer.count)
                guard count > 0 else { return }
                var offset = 0
                while offset < count {
                    func number(at field: Int) -> UInt32 {
                        buffer.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: offset + field, as: UInt32.self) }
                    }
                    // The header has a watch, a mask, a cookie and the length of a name.
                    guard number(at: 4) & UInt32(IN_IGNORED) == 0 else { return }
                    offset += 16 + Int(number(at: 12))
                    left -= 1
                }
            }
            reached()
        }
    }

    deinit { close(descriptor) }
}
