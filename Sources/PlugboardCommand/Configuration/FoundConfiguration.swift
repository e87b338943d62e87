import Plugboard
import PlugboardKit
import PlugboardMessages
import PlugboardSystem
import PluginLoader
import Synchronization

/// The configuration that is used where the command line names none: that of the environment, else the user's own.
///
/// A file of the working folder is never used without being named.
struct FoundConfiguration {
    static let variable = "PLUGBOARD_CONFIG"
    /// The end of an error: what helps also verbs without `--no-config`.
    private static let otherwise = "or set \(variable)= to use none."

    /// Whether there is a file or not.
    let path: String
    /// Whether the environment names it.
    let isOfVariable: Bool

    /// Nil if `PLUGBOARD_CONFIG` is empty, which means no configuration, and for a user without a folder.
    static var current: FoundConfiguration? {
        if let path = environment(variable) {
            return path.isEmpty ? nil : FoundConfiguration(path: path, isOfVariable: true)
        }
        return userFolder.map { FoundConfiguration(path: "\($0)/plugboard.json", isOfVariable: false) }
    }

    /// The path by the XDG Base Directory Specification: `$XDG_CONFIG_HOME/plugboard` or `~/.config/plugboard`.
    static var userFolder: String? {
        if let folder = environment("XDG_CONFIG_HOME"), folder.hasPrefix("/") { return "\(folder)/plugboard" }
        return environment("HOME").flatMap { $0.hasPrefix("/") ? "\($0)/.config/plugboard" : nil }
    }

    /// How it was found, as the end of a sentence.
    var reason: String {
        isOfVariable ? "named by \(FoundConfiguration.variable)" : "found in the user's configuration folder"
    }

    /// Whether there is a file. Throws if that cannot be known.
    var exists: Bool {
        get throws(CommandFailure) {
            var status = stat()
            if lstat(path, &status) == 0 { return true }
            if errno == ENOENT || errno == ENOTDIR { return false }
            throw CommandFailure(
                .configuration,
                "The configuration \(path), \(reason), cannot be examined: \(systemText(errno)). "
                    + "Correct that, \(FoundConfiguration.otherwise)")
        }
    }

    /// The path of the file to use; nil if the user has none. A file that other users could change is refused.
    func usablePath() throws -> String? {
        guard try exists else {
            guard isOfVariable else { return nil }
            throw CommandFailure(
                .configuration,
                "The configuration \(path), \(reason), does not exist. Correct the variable, "
                    + FoundConfiguration.otherwise)
        }
        let steps: [PathWalk.Step]
        do {
            steps = try PathWalk(to: PluginArguments.absolute(path)).steps
        } catch {
            throw CommandFailure(
                .configuration, "The configuration \(path), \(reason), cannot be used: \(error.reason)")
        }
        for step in steps { try check(step, isFile: step == steps.last) }
        return path
    }

    private func check(_ step: PathWalk.Step, isFile: Bool) throws(CommandFailure) {
        let file = "the configuration \(path), \(reason),"
        let subject = isFile ? "T\(file.dropFirst())" : "\(step.path), on the path of \(file)"
        switch step.ownership.flaw(allowsSticky: true) {
        case nil: return
        case .owner:
            throw CommandFailure(
                .configuration,
                "\(subject) belongs to user \(step.ownership.owner), who could change what this user's commands do. "
                    + "Change its owner (chown), \(FoundConfiguration.otherwise)")
        case .writable:
            throw CommandFailure(
                .configuration,
                "\(subject) can be written to by other users than its owner (mode \(step.ownership.permissions)), who "
                    + "could change what this user's commands do. Remove the permission (chmod go-w \(step.path)), "
                    + FoundConfiguration.otherwise)
        }
    }

    // MARK: Errors

    private static let used = Mutex<FoundConfiguration?>(nil)

    /// The configuration file that this process found. Nil if there is none, or if the command line names one.
    static var inUse: FoundConfiguration? { used.withLock { $0 } }

    /// Call this before the file is read.
    func use() { FoundConfiguration.used.withLock { $0 = self } }

    /// The message of a failure, and if the configuration has failed, where it was found.
    static func explained(_ message: String, _ status: ExitStatus) -> String {
        guard [.configuration, .loading, .startup].contains(status), let found = inUse else {
            return message
        }
        let end = message.last.map { ".?\n".contains($0) } == true ? "" : "."
        let subject = message.contains(found.path) ? "This configuration was" : "The configuration \(found.path) was"
        return
            "\(message)\(end)\(message.contains("\n") ? "\n" : " ")\(subject) \(found.reason); --no-config uses none."
    }
}
