import Logging
import Plugboard
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

    @Test func `a line that a hook wrote has its exchange as metadata, without secrets`() async throws {
        let lines = Lines()
        let transport = MockTransport { _, _ in .respond(404) }
        let kernel = try Kernel(
            plugins: ["logging"], transport: transport, log: KernelLog(Logger(label: "test") { _ in lines }))

        let trace = "0af7651916cd43dd8448eb211c80319c"
        var request = Request(.get, "http://u:secret@a.test/path?key=secret")
        request.fields.append("traceparent", "00-\(trace)-b7ad6b7169203331-01")
        request.tag = "sync"
        _ = try await kernel.send(request).body.collect(upTo: .kibibytes(1))
        await kernel.shutDown()

        let metadata = try #require(lines.each.last)
        #expect(metadata["plugin"] == "logging" && metadata["method"] == "GET" && metadata["status"] == "404")
        #expect(metadata["url"] == "http://a.test/path?key=…" && metadata["attempts"] == "1")
        #expect(metadata["trace"] == "\(trace)" && metadata["tag"] == "sync")
        #expect(metadata["id"] != nil && metadata["error"] == nil)
        #expect(metadata["duration"].flatMap { Double("\($0)") }.map { $0 > 0 && $0 < 60 } == true)
    }
}

/// Keeps what is logged.
private final class Lines: LogHandler, Sendable {
    private let kept = Mutex<[String]>([])
    private let level = Mutex(Logger.Level.trace)
    private let kinds = Mutex<[Logger.Metadata]>([])

    /// The metadata of each line.
    var each: [Logger.Metadata] { kinds.withLock { $0 } }

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
        kinds.withLock { $0.append(event.metadata ?? [:]) }
        kept.withLock { $0.append("\(event.level) \(event.metadata?["plugin"] ?? ""): \(event.message)") }
    }
}
