import PlugboardSystem

/// The program `plugboard-inspect`, which serves the page. It is one of its own, so that this one links neither a
/// server nor Foundation.
enum PageServer {
    private static let name = "plugboard-inspect"

    /// Replaces this process by the program: that beside this one, else that of `PATH`.
    static func run(_ words: [String]) throws(CommandFailure) -> Never {
        var arguments = ([name] + words).map { strdup($0) } + [nil]
        // What is ignored here would be ignored there.
        signal(SIGPIPE, SIG_DFL)
        var signals = sigset_t()
        sigemptyset(&signals)
        // Threads of a dispatch queue block all signals.
        pthread_sigmask(SIG_SETMASK, &signals, nil)
        var number = ENOENT
        if let folder = ownFolder {
            execv("\(folder)/\(name)", &arguments)
            number = errno
        }
        if number == ENOENT {
            execvp(name, &arguments)
            number = errno
        }
        for argument in arguments { free(argument) }
        throw CommandFailure(
            .failure,
            number == ENOENT
                ? "The program \(name), which shows the page, is neither beside this one nor in PATH. Install Debian's package "
                    + "\(name), or build it in Plugboard's sources: swift build -c release --product \(name)."
                : "The program \(name) cannot be started: \(systemText(number)).")
    }

    private static var ownFolder: String? {
        var path = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = readlink("/proc/self/exe", &path, path.count - 1)
        guard count > 0 else { return nil }
        let text = String(decoding: path[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
        return text.lastIndex(of: "/").map { String(text[..<$0]) }
    }
}
