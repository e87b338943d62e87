import PlugboardSystem

/// Identifies a process in a file, so that other processes can check whether it has ended.
///
/// Process ids are reused, and are valid in one container only; therefore the start time and the namespace are
/// included.
public struct ProcessIdentity: Sendable, Equatable {
    private let process: Int32
    private let start: String
    private let namespace: String
    private let boot: String
    /// Distinguishes the stores of one process.
    private let serial: UInt32

    /// This process, with a new serial number each time.
    public init() {
        process = getpid()
        start = ProcessIdentity.startTime(of: process) ?? ""
        namespace = ProcessIdentity.namespace
        boot = bootID
        serial = .random(in: 0 ... .max)
    }

    /// The process that a text identifies; nil if it is not such a text.
    public init?(_ text: String) {
        let parts = text.split(separator: " ", omittingEmptySubsequences: false)
        guard parts.count == 5, let process = Int32(parts[0]), process > 0, let serial = UInt32(parts[4]) else {
            return nil
        }
        self.process = process
        self.start = String(parts[1])
        self.namespace = String(parts[2])
        self.boot = String(parts[3])
        self.serial = serial
    }

    /// The text that is written to the file.
    public var text: String { "\(process) \(start) \(namespace) \(boot) \(serial)" }

    /// Whether the process has ended; nil if it belongs to another container, so that it cannot be checked.
    public var isGone: Bool? {
        guard boot == bootID else { return true }
        guard namespace == ProcessIdentity.namespace else { return nil }
        if let now = ProcessIdentity.startTime(of: process) { return now != start }
        // The file or /proc does not exist.
        return kill(process, 0) != 0 && errno == ESRCH
    }

    /// The start time in ticks since boot: the 22nd field of the line, the 20th after the name in parentheses.
    private static func startTime(of process: Int32) -> String? {
        guard let line = SmallFile.text(of: "/proc/\(process)/stat"), let end = line.lastIndex(of: ")") else {
            return nil
        }
        let fields = line[end...].dropFirst(2).split(separator: " ")
        return fields.count > 19 ? String(fields[19]) : nil
    }

    private static let namespace: String = {
        var target = [CChar](repeating: 0, count: 256)
        let count = readlink("/proc/self/ns/pid", &target, target.count)
        return count > 0 ? String(decoding: target[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self) : ""
    }()
}
