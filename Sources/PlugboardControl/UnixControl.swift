import CPlugboardControl
import PlugboardCore
import PlugboardMessages
import PlugboardSystem

/// Listens at a Unix domain socket that only processes of the same user can use.
///
/// The file is created with the mode 0600, and the user of each peer is checked (SO_PEERCRED). A file that a dead
/// process has left is replaced; a file at which a process listens is an error.
public struct UnixControl: ControlListener {
    /// A listener for the path that the configuration names.
    public init() {}

    /// See `ControlListener`. Throws `control.socket`.
    public func listen(at path: String) throws(PlugboardError) -> any ControlSocket {
        let folder = path.lastIndex(of: "/").map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
        let directory = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard directory >= 0 else { throw .socket(path, "its folder cannot be opened: \(systemText(errno))") }
        defer { close(directory) }
        var status = stat()
        guard fstat(directory, &status) == 0, Ownership(status).flaw(allowsSticky: true) == nil else {
            throw .socket(path, "other users may write to its folder; choose another one, or take their right away")
        }
        // So that two processes that start do not both replace the file of a dead one.
        guard UnixControl.lock(directory) else { throw .socket(path, "its folder is locked: \(systemText(errno))") }
        try UnixControl.removeStale(path)
        let file = ccontrol_open(0)
        guard file >= 0, ccontrol_listen(file, path, ControlServer.peerLimit) == 0, lstat(path, &status) == 0 else {
            let cause = errno
            if file >= 0 { close(file) }
            throw .socket(path, UnixControl.text(of: cause))
        }
        guard let server = ControlServer(path, file, status) else {
            close(file)
            unlink(path)
            throw .socket(path, "no file descriptor is left; raise the limit (ulimit -n)")
        }
        return server
    }

    /// Tries for a second: others may lock the folder for as long as they like.
    private static func lock(_ directory: Int32) -> Bool {
        for _ in 0..<100 where flock(directory, LOCK_EX | LOCK_NB) != 0 {
            guard errno == EWOULDBLOCK || errno == EINTR else { return false }
            usleep(10_000)
        }
        return flock(directory, LOCK_EX | LOCK_NB) == 0
    }

    private static func removeStale(_ path: String) throws(PlugboardError) {
        var status = stat()
        guard lstat(path, &status) == 0 else { return }
        guard status.st_mode & S_IFMT == S_IFSOCK, status.st_uid == geteuid() else {
            throw .socket(path, "there is another file already; remove it, or choose another path")
        }
        let file = ccontrol_open(0)
        guard file >= 0 else { throw .socket(path, systemText(errno)) }
        defer { close(file) }
        guard ccontrol_connect(file, path) != 0, errno == ECONNREFUSED else {
            throw .socket(path, "another process listens at it already; end that process, or choose another path")
        }
        unlink(path)
    }

    static func text(of cause: Int32) -> String {
        cause == ENAMETOOLONG
            ? "it is longer than \(ccontrol_longest_path) bytes, which no socket's path may be" : systemText(cause)
    }
}

extension ControlListener where Self == UnixControl {
    /// The socket that `kernel.control` names.
    public static var socket: UnixControl { UnixControl() }
}

extension PlugboardError {
    static func socket(_ path: String, _ cause: String) -> PlugboardError {
        PlugboardError(.controlSocket, "is \(Printable.text(path)), which cannot be used: \(cause)")
    }
}
