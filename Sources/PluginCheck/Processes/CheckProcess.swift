import PlugboardJSON
import PlugboardKit
import PlugboardSystem

/// One check in a process of its own.
struct CheckProcess {
    let check: Check
    private let id: pid_t
    private let scratch: ScratchFolder
    private let deadline: ContinuousClock.Instant
    private let outlet: LineReader
    private let errors: LineReader
    private var isKilled = false

    /// The pipe to which the process writes its outcome.
    static let outletNumber: Int32 = 3

    /// Starts this program again.
    ///
    /// - Parameter arguments: The arguments without the program's name; the scratch folder is added to them.
    init(_ check: Check, arguments: [String]) throws(PlugboardError) {
        guard let scratch = ScratchFolder("plugboard-check-") else {
            throw PlugboardError(
                .checkSystem, "No folder can be made in \(ScratchFolder.parent) for a check.",
                underlying: systemText(errno))
        }
        let (outlet, errors) = (try Pipe(), try Pipe())
        defer {
            close(outlet.writer)
            close(errors.writer)
        }
        do throws(PlugboardError) {
            id = try CheckProcess.spawn(arguments + [scratch.path], outlet.writer, errors.writer)
        } catch {
            scratch.remove()
            close(outlet.reader)
            close(errors.reader)
            throw error
        }
        self.check = check
        self.scratch = scratch
        self.outlet = LineReader(outlet.reader)
        self.errors = LineReader(errors.reader)
        deadline = .now + check.limit
    }

    private static func spawn(_ arguments: [String], _ outlet: Int32, _ errors: Int32) throws(PlugboardError) -> pid_t {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        // Output of the plugin must not get into the report.
        posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0)
        posix_spawn_file_actions_adddup2(&actions, errors, STDERR_FILENO)
        posix_spawn_file_actions_adddup2(&actions, outlet, outletNumber)
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        // As a shell starts a program: SIGPIPE has its default action, and no signal is blocked.
        var none = sigset_t()
        var reset = sigset_t()
        sigemptyset(&none)
        sigemptyset(&reset)
        sigaddset(&reset, SIGPIPE)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setsigdefault(&attributes, &reset)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))

        var words: [UnsafeMutablePointer<CChar>?] = (["plugboard"] + arguments).map { strdup($0) } + [nil]
        // Disables the backtrace of Swift's runtime, which takes seconds.
        var environment = Self.environment.map { strdup($0) } + [strdup("SWIFT_BACKTRACE=enable=no"), nil]
        defer { for word in words + environment { free(word) } }
        var id: pid_t = 0
        let code = posix_spawn(&id, "/proc/self/exe", &actions, &attributes, &words, &environment)
        guard code == 0 else {
            throw PlugboardError(
                .checkSystem, "A check cannot be started.", underlying: systemText(code))
        }
        return id
    }

    private static var environment: [String] {
        var all: [String] = []
        var next = environ
        while let text = next.pointee {
            all.append(String(cString: text))
            next += 1
        }
        return all.filter { !$0.hasPrefix("SWIFT_BACKTRACE=") }
    }

    // MARK: Waiting

    /// The descriptors to poll, until both have ended.
    var descriptors: [Int32] { [outlet, errors].filter { !$0.hasEnded }.map(\.descriptor) }

    /// Reads what is available; kills the process if its time is up.
    mutating func proceed() {
        for reader in [outlet, errors] { reader.read() }
        guard !isKilled, .now > deadline else { return }
        isKilled = true
        kill(id, SIGKILL)
        // A process that the plugin started may hold the pipes open.
        outlet.abandon()
        errors.abandon()
    }

    /// The result, once both pipes have ended. Blocks until the process has ended.
    func result() -> CheckResult {
        var status: Int32 = 0
        while waitpid(id, &status, 0) < 0 && errno == EINTR {}
        let hook = HookMarker.hook(in: scratch.path)
        scratch.remove()
        if isKilled {
            let seconds = check.limit.components.seconds
            return CheckResult(check.name, .failed, "no end within \(seconds) s\(location(hook))")
        }
        if let (word, text) = outlet.lines.last.map(CheckProcess.parts),
            let outcome = CheckResult.Status(rawValue: word)
        {
            return CheckResult(check.name, outcome, text, coverage)
        }
        let signal = status & 0x7f
        let end =
            signal == 0
            ? "the process was ended with status \(status >> 8 & 0xff)" : "by \(CheckProcess.name(ofSignal: signal))"
        return CheckResult(check.name, .crashed, "\(end) in check \(check.name)\(location(hook))\(lastWords)")
    }

    private var coverage: Coverage {
        let line = outlet.lines.last { $0.hasPrefix("covered\t") }
        return Coverage(json: line.flatMap { try? JSONParser.parse(CheckProcess.parts($0).text) }) ?? Coverage()
    }

    /// The step and hook of the process.
    private func location(_ hook: Hook?) -> String {
        let doing = outlet.lines.last { $0.hasPrefix("doing\t") }.map { CheckProcess.parts($0).text } ?? ""
        return (hook.map { ", in \($0)" } ?? "") + (doing.isEmpty ? "" : ", with \(doing)")
    }

    /// The last lines that the process printed: the reason why Swift's runtime or the C library aborted, which may be
    /// followed by a backtrace.
    private var lastWords: String {
        let said = errors.lines.filter { !$0.allSatisfy(\.isWhitespace) }
        let why = said.last { $0.contains("rror:") || $0.contains("Assertion") } ?? said.last
        return why.map { ": \($0)" } ?? ""
    }

    private static func parts(_ line: String) -> (word: String, text: String) {
        guard let tab = line.firstIndex(of: "\t") else { return ("", line) }
        return (String(line[..<tab]), String(line[line.index(after: tab)...]))
    }

    private static func name(ofSignal number: Int32) -> String {
        let names = [
            SIGSEGV: "SIGSEGV", SIGABRT: "SIGABRT", SIGBUS: "SIGBUS", SIGILL: "SIGILL", SIGFPE: "SIGFPE",
            SIGTRAP: "SIGTRAP", SIGKILL: "SIGKILL", SIGTERM: "SIGTERM", SIGPIPE: "SIGPIPE", SIGSYS: "SIGSYS",
        ]
        return names[number] ?? "signal \(number)"
    }
}
