import Foundation

/// A running nginx, which ends when this object is released or when this process ends in any way.
///
/// It is a child process with the `nginx.conf` of its own folder, as root or as another user. The folder is removed at
/// the end.
package final class NginxProcess: Sendable {
    private let process: ChildProcess
    /// The writing end of the shell's pipe.
    private let writer: Int32

    /// Starts nginx and returns once all its ports are bound.
    ///
    /// The configuration must name `nginx.pid` and `error.log` in that folder, and no daemon.
    package init(in folder: TemporaryFolder) throws {
        guard let program = NginxProcess.find("nginx") else { throw NginxError.notInstalled }
        for name in ["nginx.pid", "error.log"] { try? FileManager.default.removeItem(atPath: folder.file(name)) }
        // The shell waits for the end of a pipe that only this process holds. (PR_SET_PDEATHSIG would end nginx when
        // the *thread* that started it ends, and threads do not live long.)
        let script = """
            trap '' INT TERM HUP
            "$1" -e error.log -p "$2" -c "$2/nginx.conf" &
            read -r _
            kill -KILL $!
            wait
            rm -rf "$2"
            """
        let null = open("/dev/null", O_WRONLY | O_CLOEXEC)
        guard null >= 0 else { throw SystemError.failed("open /dev/null", errno) }
        defer { close(null) }
        let pipe = try Pipe()
        process = try ChildProcess(
            ["/bin/sh", "-c", script, "sh", program, folder.path], folder: folder.path,
            standardInput: pipe.reader, standardOutput: null, standardError: null)
        writer = pipe.takeWriter()

        let deadline = ContinuousClock.now + Gate.patience
        // nginx writes its number when all its ports are bound.
        while ((try? folder.read("nginx.pid")) ?? []).isEmpty {
            let log = String(decoding: (try? folder.read("error.log")) ?? [], as: UTF8.self)
            if log.contains("[emerg]") || ContinuousClock.now > deadline { throw NginxError.notStarted(log) }
            usleep(2000)
        }
    }

    deinit {
        close(writer)
        _ = process.wait()
    }

    /// The path of an installed program, or nil.
    static func find(_ name: String) -> String? {
        let path = (ProcessInfo.processInfo.environment["PATH"] ?? "") + ":/usr/sbin:/usr/local/sbin:/usr/bin"
        return path.split(separator: ":").map { "\($0)/\(name)" }
            .first { FileManager.default.isExecutableFile(atPath: $0) }
    }
}

/// The reason why nginx could not be started.
package enum NginxError: Error {
    case notInstalled
    /// Has nginx's error log.
    case notStarted(String)
}
