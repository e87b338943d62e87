import Plugboard
import PlugboardCore
import PlugboardMessages
import PlugboardSystem

/// The folder of a session: `sessions/NAME` below the state folder of the configuration or of the user, with mode 0700.
struct SessionFolder {
    let name: String
    let path: String

    var file: String { "\(path)/session.json" }
    var cookies: String { "\(path)/cookies.sqlite" }

    /// Makes the folder if it does not exist.
    static func made(_ name: String, _ settings: KernelSettings) throws(CommandFailure) -> SessionFolder {
        try check(name)
        for id in ["sessions", "sessions/\(name)"] {
            switch DataDirectory(settings).make(id) {
            case .made(let path): if id != "sessions" { return SessionFolder(name: name, path: path) }
            case .refused(let reason): throw CommandFailure(.configuration, reason)
            case .missing(let reason): throw CommandFailure(.configuration, reason ?? noFolder)
            }
        }
        throw CommandFailure(.configuration, noFolder)
    }

    static func existing(_ name: String, _ settings: KernelSettings) throws(CommandFailure) -> SessionFolder {
        try check(name)
        guard let all = DataDirectory(settings).path(of: "sessions") else {
            throw CommandFailure(.configuration, noFolder)
        }
        guard access("\(all)/\(name)", F_OK) == 0 else {
            throw CommandFailure(.usage, "There is no session \(name). plugboard session list shows all.")
        }
        return try made(name, settings)
    }

    /// The names of all sessions.
    static func names(_ settings: KernelSettings) -> [String] {
        guard let all = DataDirectory(settings).path(of: "sessions") else { return [] }
        return PlugboardSystem.names(inFolder: all).filter(isName).sorted()
    }

    /// Removes the folder and its files.
    func remove() throws(CommandFailure) {
        for name in PlugboardSystem.names(inFolder: path) { unlink("\(path)/\(name)") }
        guard rmdir(path) == 0 else {
            throw CommandFailure(.write, "\(path) cannot be removed: \(systemText(errno)).")
        }
    }

    /// The contents of the session's file; empty if the file does not exist.
    func contents() throws(CommandFailure) -> SessionContents {
        guard access(file, F_OK) == 0 || errno != ENOENT else { return SessionContents() }
        do {
            return try SessionContents(try FileContents.bytes(of: file))
        } catch let damage as SessionContents.Damage {
            throw CommandFailure(
                .read,
                "The session \(name) cannot be read: \(file) \(damage.reason). Repair the file, or remove the session "
                    + "(plugboard session remove \(name)).")
        } catch {
            throw CommandFailure(of: error)
        }
    }

    static func check(_ name: String) throws(CommandFailure) {
        guard isName(name) else {
            throw CommandFailure(
                .usage,
                "\(Printable.text(name)) cannot be the name of a session: write at most 64 letters, digits, '.', '_' and '-', "
                    + "and no '.' at the beginning.")
        }
    }

    private static func isName(_ name: String) -> Bool {
        !name.isEmpty && name.utf8.count <= 64 && !name.hasPrefix(".")
            && name.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "._-".contains($0)) }
    }

    private static let noFolder = "There is no state folder for sessions: set XDG_STATE_HOME or HOME."
}
