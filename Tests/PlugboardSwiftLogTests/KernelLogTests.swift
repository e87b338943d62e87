import Logging
import PlugboardMessages
import PlugboardSwiftLog
import Synchronization
import TestSupport
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

@Suite struct SwiftLogEntryTests {
    private let lines = Lines()

    private func kernel(_ outcome: @escaping @Sendable () -> MockTransport.Outcome) throws -> Kernel {
        let logger = Logger(label: "test") { [lines] _ in lines }
        return try Kernel(plugins: [.swiftLog(logger)], transport: MockTransport { _, _ in outcome() }, log: .silent)
    }

    @Test func `an exchange is logged at its end, with metadata and without secrets`() async throws {
        let kernel = try kernel { .respond(204) }

        _ = try await kernel.send(Request(.get, "https://me:secret@a.test/b?key=secret")).body.collect(
            upTo: .kibibytes(1))
        await kernel.shutDown()

        let metadata = try #require(lines.metadataOfAll.first)
        #expect(lines.all == ["info : The exchange has ended."] && lines.metadataOfAll.count == 1)
        #expect(
            Set(metadata.keys) == ["exchange", "method", "url", "attempts", "outcome", "milliseconds", "status"])
        #expect(metadata["method"] == "GET" && metadata["status"] == "204" && metadata["attempts"] == "1")
        #expect(!"\(metadata)".contains("secret") && "\(metadata)".contains("a.test/b"))
    }

    @Test func `a failure is a warning with its code`() async throws {
        let kernel = try kernel { .failure(PlugboardError(.transportReset, "The connection was lost.")) }

        _ = try? await kernel.send(Request(.get, "https://a.test/"))
        await kernel.shutDown()

        #expect(lines.all == ["warning : The connection was lost."])
        #expect(lines.metadataOfAll.first?["error"] == "transport.reset")
    }
}

/// Keeps what is logged.
private final class Lines: LogHandler, Sendable {
    private let kept = Mutex<[String]>([])
    private let keptMetadata = Mutex<[Logger.Metadata]>([])
    private let level = Mutex(Logger.Level.trace)

    var all: [String] { kept.withLock { $0 } }
    var metadataOfAll: [Logger.Metadata] { keptMetadata.withLock { $0 } }
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
        keptMetadata.withLock { $0.append(event.metadata ?? [:]) }
        kept.withLock { $0.append("\(event.level) \(event.metadata?["source"] ?? ""): \(event.message)") }
    }
}
