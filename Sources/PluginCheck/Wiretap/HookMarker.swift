import CPlugboard
import Glibc

/// The hook that runs now, written where it can still be read when the process is gone.
///
/// A byte in a file that is mapped: a store a hook, no call of the system. Sendable because the memory stays as long as the
/// process, and a byte is written whole.
struct HookMarker: @unchecked Sendable {
    static let fileName = "hook"

    private let byte: UnsafeMutablePointer<UInt8>

    /// Makes the file.
    init?(path: String) {
        let file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard file >= 0 else { return nil }
        defer { close(file) }
        guard ftruncate(file, 1) == 0,
            let memory = mmap(nil, 1, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0), memory != MAP_FAILED
        else { return nil }
        byte = memory.assumingMemoryBound(to: UInt8.self)
    }

    var hook: Hook? {
        get { Hook(rawValue: byte.pointee) }
        nonmutating set { byte.pointee = newValue?.rawValue ?? 0 }
    }

    /// What the process that made the file did last; nil if it was in no hook.
    static func hook(in folder: String) -> Hook? {
        let file = open("\(folder)/\(fileName)", O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return nil }
        defer { close(file) }
        var byte: UInt8 = 0
        return read(file, &byte, 1) == 1 ? Hook(rawValue: byte) : nil
    }
}

/// A function of a plugin's table, by the name that it has there.
enum Hook: UInt8, CaseIterable, Sendable, CustomStringConvertible {
    case create = 1, start, stop, destroy, onRequest, onResponse, onFailure, onClose, onEvent, extensions

    var description: String {
        switch self {
        case .create: "create"
        case .start: "start"
        case .stop: "stop"
        case .destroy: "destroy"
        case .onRequest: "on_request"
        case .onResponse: "on_response"
        case .onFailure: "on_failure"
        case .onClose: "on_close"
        case .onEvent: "on_event"
        case .extensions: "extension"
        }
    }
}
