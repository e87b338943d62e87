import Foundation

/// A running nginx, which ends when this object is released, and with this process however that ends.
///
/// It runs as a child, as root or as another user, with the `nginx.conf` of a folder of its own, which is removed with
/// it.
package final class NginxProcess: Sendable {
    private let process: ChildProcess
    /// The writing end of the shell's pipe.
    private let writer: Int32

    /// Starts nginx and returns once all its ports are bound.
    ///
    /// The configuration names `nginx.pid` and `error.log` in that folder, and no daemon.
    package init(in folder: TemporaryFolder) throws {
        guard let program = NginxProcess.find("nginx") else { throw NginxError.notInstalled }
        for name in ["nginx.pid", "error.log"] { try? FileManager.default.removeItem(atPath: folder.file(name)) }
        // The shell waits for the end of a pipe that only this process holds. (PR_SET_PDEATHSIG would end nginx with
        // the *thread* that started it, and those come and go.)
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
        // nginx writes its number once all its ports are bound.
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

/// Why there is no nginx.
package enum NginxError: Error {
    case notInstalled
    /// Holds nginx's error log.
    case notStarted(String)
}
