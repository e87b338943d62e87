import Foundation

/// Runs programs until they end.
package enum ProcessRunner {
    /// The exit and the output of a program.
    package struct Outcome: Sendable {
        /// The exit status, or 128 plus the signal's number.
        package var status: Int32
        package var stdoutBytes: [UInt8]
        package var stderrBytes: [UInt8]

        /// Standard output as UTF-8, with U+FFFD for invalid bytes.
        package var stdout: String { String(decoding: stdoutBytes, as: UTF8.self) }
        package var stderr: String { String(decoding: stderrBytes, as: UTF8.self) }
    }

    /// Runs a program and blocks until it has ended and closed its output.
    ///
    /// The first argument is a path, or a name that is searched for in `PATH`. `environment` is added to this process's
    /// own. A program that takes longer than `timeout` is killed. Throws if it cannot be started.
    /// - Parameters:
    ///   - onOutput: Called with all of standard output so far, whenever there is more.
    ///   - onStart: Gets a function that kills the program, from any thread.
    package static func run(
        _ arguments: [String], environment: [String: String] = [:], folder: String? = nil, input: [UInt8] = [],
        timeout: Duration = .seconds(120), onOutput: (@Sendable (String) -> Void)? = nil,
        onStart: (@Sendable (_ kill: @escaping @Sendable () -> Void) -> Void)? = nil
    ) throws -> Outcome {
        let folderOfInput = try TemporaryFolder("input")
        let inputPath = try folderOfInput.write("stdin", input)
        let standardInput = open(inputPath, O_RDONLY | O_CLOEXEC)
        guard standardInput >= 0 else { throw SystemError.failed("open \(inputPath)", errno) }
        defer { close(standardInput) }
        let output = try Pipe()
        let errors = try Pipe()

        let process = try ChildProcess(
            arguments, environment: environment, folder: folder,
            standardInput: standardInput, standardOutput: output.writer, standardError: errors.writer)
        onStart? { process.kill() }
        output.closeWriter()
        errors.closeWriter()
        let collected = collect(
            [output.reader, errors.reader], until: .now + timeout, onOutput: onOutput
        ) { process.kill() }

        return Outcome(status: process.wait(), stdoutBytes: collected[0], stderrBytes: collected[1])
    }

    /// Like `run`, but does not block the threads of tasks.
    package static func running(
        _ arguments: [String], environment: [String: String] = [:], folder: String? = nil, input: [UInt8] = [],
        timeout: Duration = .seconds(120), onOutput: (@Sendable (String) -> Void)? = nil,
        onStart: (@Sendable (_ kill: @escaping @Sendable () -> Void) -> Void)? = nil
    ) async throws -> Outcome {
        try await withCheckedThrowingContinuation { continuation in
            DispatchQueue.global().async {
                continuation.resume(
                    with: Result {
                        try run(
                            arguments, environment: environment, folder: folder, input: input, timeout: timeout,
                            onOutput: onOutput, onStart: onStart)
                    })
            }
        }
    }

    /// Runs a program that must succeed, and returns its output.
    @discardableResult package static func output(of arguments: [String], folder: String? = nil) throws -> String {
        let outcome = try run(arguments, folder: folder)
        guard outcome.status == 0 else {
            throw ProcessError.failed(arguments.joined(separator: " "), outcome.status, outcome.stderr)
        }
        return outcome.stdout
    }

    /// Reads all descriptors concurrently until each has ended, so that no program blocks on a full pipe.
    private static func collect(
        _ descriptors: [Int32], until deadline: ContinuousClock.Instant, onOutput: (@Sendable (String) -> Void)?,
        onTimeout: () -> Void
    ) -> [[UInt8]] {
        var collected = descriptors.map { _ in [UInt8]() }
        var polls = descriptors.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
        var isKilled = false
        while polls.contains(where: { $0.fd >= 0 }) {
            let left = ContinuousClock.now.duration(to: deadline).seconds
            // A grandchild may hold the pipe open after the kill: after one more second, the output so far is returned.
            if left <= 0 {
                if isKilled && left < -1 { break }
                if !isKilled { onTimeout() }
                isKilled = true
            }
            guard poll(&polls, nfds_t(polls.count), Int32(max(left, 0.1) * 1000)) > 0 else { continue }
            for index in polls.indices where polls[index].fd >= 0 && polls[index].revents != 0 {
                let bytes = [UInt8](unsafeUninitializedCapacity: 65_536) { buffer, count in
                    count = max(read(polls[index].fd, buffer.baseAddress, buffer.count), 0)
                }
                collected[index] += bytes
                if index == 0 { onOutput?(String(decoding: collected[0], as: UTF8.self)) }
                if bytes.isEmpty { polls[index].fd = -1 }
            }
        }
        return collected
    }
}

/// A program ended in another way than expected.
package enum ProcessError: Error, CustomStringConvertible {
    case cannotStart(String, Int32)
    case failed(String, Int32, String)

    package var description: String {
        switch self {
        case .cannotStart(let program, let number): "\(program): \(String(cString: strerror(number)))"
        case .failed(let command, let status, let errors): "\(command): status \(status): \(errors)"
        }
    }
}
