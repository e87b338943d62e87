import Foundation
import Synchronization

/// A started program that is waited for exactly once.
final class ChildProcess: Sendable {
    private let id: pid_t
    private let status = Mutex<Int32?>(nil)

    /// Starts the program with only these three descriptors; the caller must still close them.
    init(
        _ arguments: [String], environment: [String: String] = [:], folder: String? = nil,
        standardInput: Int32, standardOutput: Int32, standardError: Int32
    ) throws {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, standardInput, 0)
        posix_spawn_file_actions_adddup2(&actions, standardOutput, 1)
        posix_spawn_file_actions_adddup2(&actions, standardError, 2)
        if let folder { _ = GNU.addChangeFolder(&actions, folder) }

        // The threads of dispatch queues block all signals. A shell that inherits this never stops waiting.
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var none = sigset_t()
        sigemptyset(&none)
        posix_spawnattr_setsigmask(&attributes, &none)
        var pipe = none
        sigaddset(&pipe, SIGPIPE)
        posix_spawnattr_setsigdefault(&attributes, &pipe)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))

        // Empty, so that the command does not use the configuration of the user who runs the tests.
        let variables = ProcessInfo.processInfo.environment.merging(["PLUGBOARD_CONFIG": ""]) { _, new in new }
            .merging(environment) { _, new in new }
        var argumentPointers = arguments.map { strdup($0) } + [nil]
        var variablePointers = variables.map { strdup("\($0)=\($1)") } + [nil]
        defer { for pointer in argumentPointers + variablePointers { free(pointer) } }
        var id = pid_t()
        let name = arguments.first ?? ""
        let number = posix_spawnp(&id, name, &actions, &attributes, &argumentPointers, &variablePointers)
        guard number == 0 else { throw ProcessError.cannotStart(name, number) }
        self.id = id
    }

    func kill() {
        status.withLock { status in
            // After the wait, the number may belong to another process.
            if status == nil { _ = Glibc.kill(id, SIGKILL) }
        }
    }

    /// Blocks until the program has ended. Returns its exit status, or 128 plus the signal's number.
    func wait() -> Int32 {
        // Waits without reaping, so that kill() is not locked out meanwhile.
        var information = siginfo_t()
        while waitid(P_PID, id_t(id), &information, WEXITED | WNOWAIT) != 0 && errno == EINTR {}
        return status.withLock { known in
            if let known { return known }
            var raw: Int32 = 0
            while waitpid(id, &raw, 0) < 0 && errno == EINTR {}
            let signal = raw & 0x7f
            let ended = signal == 0 ? (raw >> 8) & 0xff : 128 + signal
            known = ended
            return ended
        }
    }
}

/// A pipe whose ends are closed when it is released, and which no child inherits by accident.
final class Pipe {
    let reader: Int32
    private(set) var writer: Int32

    init() throws {
        var ends: [Int32] = [-1, -1]
        guard GNU.pipe2(&ends, O_CLOEXEC) == 0 else { throw SystemError.failed("pipe2", errno) }
        (reader, writer) = (ends[0], ends[1])
    }

    deinit {
        close(reader)
        closeWriter()
    }

    /// Gives the writing end to the caller.
    func takeWriter() -> Int32 {
        defer { writer = -1 }
        return writer
    }

    func closeWriter() {
        if writer >= 0 { close(writer) }
        writer = -1
    }
}
