import Logging
import PlugboardMessages
import PlugboardSwiftLog
import Synchronization
import Testing

@testable import PlugboardCore

@Suite struct KernelLogTests {
    @Test func `a line reaches the program's logger with its level and its source, if the logger's level asks for it`()
    {
        let lines = Lines()
        var logger = Logger(label: "test") { _ in lines }
        logger.logLevel = .info
        let log = KernelLog(logger)

        log.write(.debug, "cache", "too small")
        log.write(.info, "cache", "a hit")
        log.write(.error, "kernel", "broken")

        #expect(lines.all == ["info cache: a hit", "error kernel: broken"])
    }
}

/// Keeps what is logged.
private final class Lines: LogHandler, Sendable {
    private let kept = Mutex<[String]>([])
    private let level = Mutex(Logger.Level.trace)

    var all: [String] { kept.withLock { $0 } }
    var metadata: Logger.Metadata {
        get { [:] }
        set {}
    }
    var logLevel: Logger.Level {
        get { level.withLock { $0 } }
        set { level.withLock { $0 = newValue } }
    }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { nil }
        set {}
    }

    func log(event: LogEvent) {
        kept.withLock { $0.append("\(event.level) \(event.metadata?["source"] ?? ""): \(event.message)") }
    }
}
