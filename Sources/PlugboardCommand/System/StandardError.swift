#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Where everything goes that is no body. From any thread; each text is one call of the system, so that lines do not mix.
enum StandardError {
    static var isTerminal: Bool { isatty(STDERR_FILENO) == 1 }

    /// A line that says who speaks.
    static func say(_ message: String) { write("plugboard: \(message)\n") }

    /// A warning, which may lack its full stop.
    static func warn(_ warning: String) { say("warning: \(warning)\(warning.hasSuffix("?") ? "" : ".")") }

    /// Text without anything that steers a terminal. A failure has no place to be reported to, so it is ignored.
    static func write(_ text: String) { draw(VisibleText.of(text)) }

    /// Text with control sequences of this command's own.
    static func draw(_ text: String) {
        var text = text
        text.withUTF8 { bytes in
            _ = writeAll(UnsafeRawBufferPointer(bytes), to: STDERR_FILENO)
        }
    }
}

/// Writes all bytes, however the system splits them; the number of the error, or nil. Blocks.
func writeAll(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) -> Int32? {
    var rest = bytes
    while !rest.isEmpty {
        let count = write(descriptor, rest.baseAddress, rest.count)
        if count >= 0 {
            rest = UnsafeRawBufferPointer(rebasing: rest[count...])
        } else if errno == EAGAIN {
            var wanted = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
            _ = poll(&wanted, 1, -1)
        } else if errno != EINTR {
            return errno
        }
    }
    return nil
}

/// The system's words for an error's number.
func systemText(_ number: Int32) -> String { String(cString: strerror(number)) }
