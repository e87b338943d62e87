import PlugboardSystem

/// The standard input, output and error of the process, which may be closed when it starts.
enum StandardDescriptors {
    /// Opens a file for each closed descriptor that cannot be used in its direction. So using it remains an error, and
    /// no file that is opened later gets its number. Call this before anything is opened.
    static func occupy() {
        // In ascending order, because `open` returns the lowest free number.
        for descriptor in STDIN_FILENO...STDERR_FILENO where fcntl(descriptor, F_GETFD) < 0 {
            _ = open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY)
        }
    }

    /// Whether the process can open so many files beside those that are open.
    static func hasFree(_ count: Int) -> Bool {
        var copies: [Int32] = []
        defer { for copy in copies { close(copy) } }
        for _ in 0..<count {
            let copy = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 0)
            if copy < 0 { return errno != EMFILE && errno != ENFILE }
            copies.append(copy)
        }
        return true
    }
}
