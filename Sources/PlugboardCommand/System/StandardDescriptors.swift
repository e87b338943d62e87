#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The process's standard input, output and error, which whoever starts it may have closed.
enum StandardDescriptors {
    /// Gives each that is closed a file that cannot be used in its direction. So using it stays an error, and nothing
    /// that is opened later takes its number and gets what was meant for it. To be called before anything is opened.
    static func occupy() {
        // In this order: what is opened gets the lowest number that is free.
        for descriptor in STDIN_FILENO...STDERR_FILENO where fcntl(descriptor, F_GETFD) < 0 {
            _ = open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY)
        }
    }
}
