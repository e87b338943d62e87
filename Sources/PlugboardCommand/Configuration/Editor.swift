import PlugboardSystem

/// The user's editor: `$VISUAL`, `$EDITOR`, else `vi`.
enum Editor {
    /// Opens a file and blocks until the editor has ended.
    static func edit(_ path: String) throws(CommandFailure) {
        let program = [environment("VISUAL"), environment("EDITOR")].compactMap(\.self).first { !$0.isEmpty } ?? "vi"
        // The variable may hold options, too, as for git.
        let words = ["/bin/sh", "-c", "\(program) \"$@\"", program, path]
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var signals = sigset_t()
        sigemptyset(&signals)
        // Threads of a dispatch queue block all signals.
        posix_spawnattr_setsigmask(&attributes, &signals)
        for number in [SIGPIPE, SIGINT, SIGQUIT] { sigaddset(&signals, number) }
        posix_spawnattr_setsigdefault(&attributes, &signals)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))

        // Ctrl-C is for the editor.
        let actions = [SIGINT, SIGQUIT].map { ($0, signal($0, SIG_IGN)) }
        defer { for (number, action) in actions { signal(number, action) } }
        var arguments = words.map { strdup($0) } + [nil]
        defer { for argument in arguments { free(argument) } }
        var id = pid_t()
        let number = posix_spawn(&id, words[0], nil, &attributes, &arguments, environ)
        guard number == 0 else {
            throw CommandFailure(.failure, "The editor \(program) cannot be started: \(systemText(number)).")
        }
        var status: Int32 = 0
        while waitpid(id, &status, 0) < 0, errno == EINTR {}
        guard status == 0 else {
            throw CommandFailure(
                .failure, "The editor \(program) has failed. Set VISUAL or EDITOR to the editor to use.")
        }
    }
}
