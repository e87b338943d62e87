import PlugboardSystem

/// The running hook, stored where it can be read after the process has ended.
///
/// Two words in a mapped file: one store per hook, and no system call. Sendable because the memory stays mapped as long
/// as the process runs, and the values are only shown in reports.
struct HookMarker: @unchecked Sendable {
    static let fileName = "hook"

    private let words: UnsafeMutablePointer<UInt64>

    /// Creates and maps the file.
    init?(path: String) {
        let size = 2 * MemoryLayout<UInt64>.stride
        let file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard file >= 0 else { return nil }
        defer { close(file) }
        guard ftruncate(file, off_t(size)) == 0,
            let memory = mmap(nil, size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0), memory != MAP_FAILED
        else { return nil }
        words = memory.assumingMemoryBound(to: UInt64.self)
    }

    /// Setting it counts as a step.
    var hook: Hook? {
        get { Hook(rawValue: words[0]) }
        nonmutating set {
            words[0] = newValue?.rawValue ?? 0
            words[1] &+= 1
        }
    }

    /// The number of steps so far. While it stays the same, a hook has not returned.
    var steps: UInt64 { words[1] }

    /// The last hook of the process that used this scratch folder; nil if it was in no hook.
    static func hook(in folder: String) -> Hook? {
        let file = open("\(folder)/\(fileName)", O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return nil }
        defer { close(file) }
        var word: UInt64 = 0
        let size = MemoryLayout<UInt64>.size
        return read(file, &word, size) == size ? Hook(rawValue: word) : nil
    }
}

/// A function of a plugin's table, by its name there.
enum Hook: UInt64, CaseIterable, Sendable, CustomStringConvertible {
    case create = 1, start, stop, destroy, onRequest, onResponse, onFailure, onClose, onEvent, extensions, command,
        check, service

    private static let names = [
        "create", "start", "stop", "destroy", "on_request", "on_response", "on_failure", "on_close", "on_event",
        "extension", "command", "check", "service",
    ]

    var description: String { Hook.names[Int(rawValue) - 1] }
}
