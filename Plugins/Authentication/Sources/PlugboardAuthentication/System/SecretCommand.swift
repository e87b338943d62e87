import PlugboardAuthenticationOptions
import PlugboardKit

#if canImport(Glibc)
    @preconcurrency import Glibc
#elseif canImport(Musl)
    @preconcurrency import Musl
#endif

/// A program that prints a secret. Blocks: called off the loop only.
///
/// It is started without a shell, in a process group of its own, with no input; its standard error is discarded.
struct SecretCommand {
    /// The program, as a path or a name that is searched for in `PATH`, and its arguments.
    let arguments: [String]
    let timeout: Duration

    /// The longest time that the thread sleeps before it checks whether it should stop.
    private static let slice: Int32 = 50

    /// Runs the program and returns its output without the newlines at the end.
    ///
    /// Throws `authentication.refresh` if the program cannot be started, fails, prints more than a secret may have, or
    /// takes too long; then its process group is killed.
    func run(until isStopped: () -> Bool) throws(PlugboardError) -> String {
        let (process, output) = try start()
        defer { close(output) }
        let deadline = ContinuousClock.now + timeout
        var bytes: [UInt8] = []
        var isOpen = true
        var status: Int32?
        while true {
            // Only the end of the program counts, because a process that it started may keep the pipe open.
            let hasEnded = status != nil
            if isOpen { isOpen = readOn(output, &bytes, waiting: !hasEnded) }
            guard bytes.count <= SecretFile.limit else {
                if !hasEnded { end(process) }
                throw error("printed more than 64 KiB")
            }
            if hasEnded { break }
            if !isOpen { usleep(1000) }
            status = reap(process)
            guard status != nil || (!isStopped() && ContinuousClock.now < deadline) else {
                end(process)
                throw error("did not end within \(DurationText(timeout))")
            }
        }
        guard status == 0 else { throw error("ended with the status \(status ?? -1)") }
        guard let text = SecretFile.withoutNewlines(bytes[...]), !text.isEmpty else {
            throw error("printed nothing, or text that is not UTF-8")
        }
        return text
    }

    private func start() throws(PlugboardError) -> (pid_t, output: Int32) {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { throw error("cannot be given a pipe") }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        _ = fcntl(ends[0], F_SETFL, O_NONBLOCK)
        defer { close(ends[1]) }

        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_adddup2(&actions, ends[1], 1)
        posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0)

        // The program starts with the default signal handling, whatever this process blocks or ignores.
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var signals = sigset_t()
        sigemptyset(&signals)
        posix_spawnattr_setsigmask(&attributes, &signals)
        sigaddset(&signals, SIGPIPE)
        posix_spawnattr_setsigdefault(&attributes, &signals)
        posix_spawnattr_setpgroup(&attributes, 0)
        posix_spawnattr_setflags(
            &attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP))

        var pointers = arguments.map { strdup($0) } + [nil]
        defer { for pointer in pointers { free(pointer) } }
        var process = pid_t()
        let code = posix_spawnp(&process, arguments.first ?? "", &actions, &attributes, &pointers, environ)
        guard code == 0 else {
            close(ends[0])
            throw error("cannot be started (\(String(cString: strerror(code))))")
        }
        return (process, ends[0])
    }

    /// Reads the available output; false at its end.
    private func readOn(_ output: Int32, _ bytes: inout [UInt8], waiting: Bool) -> Bool {
        var waited = pollfd(fd: output, events: Int16(POLLIN), revents: 0)
        guard poll(&waited, 1, waiting ? Self.slice : 0) > 0 else { return true }
        var piece = [UInt8](repeating: 0, count: 4096)
        while bytes.count <= SecretFile.limit {
            let count = read(output, &piece, piece.count)
            if count > 0 {
                bytes += piece[..<count]
            } else if count == 0 {
                return false
            } else if errno != EINTR {
                return errno == EAGAIN
            }
        }
        return true
    }

    /// The exit status, or 128 plus the signal's number; nil while the program runs.
    private func reap(_ process: pid_t) -> Int32? {
        var status: Int32 = 0
        let ended = waitpid(process, &status, WNOHANG)
        if ended == 0 { return nil }
        // If this process lets the system reap its children, the exit status is unknown.
        if ended < 0 { return errno == EINTR ? nil : 0 }
        let signal = status & 0x7F
        return signal == 0 ? (status >> 8) & 0xFF : 128 + signal
    }

    private func end(_ process: pid_t) {
        kill(-process, SIGKILL)
        var status: Int32 = 0
        while waitpid(process, &status, 0) < 0 && errno == EINTR {}
    }

    private func error(_ what: String) -> PlugboardError {
        .refresh("the command \(Printable.text(arguments.first ?? "")) \(what)")
    }
}
