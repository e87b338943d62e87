import PlugboardCore
import PlugboardJSON
import PlugboardKit
import PlugboardObserving
import PlugboardSystem

/// Does what a peer has asked for.
struct ControlRun {
    /// The longest reply of a plugin in JSON, in bytes; a body has no limit, because it comes in pieces.
    private static let replyLimit = 16 << 20

    let request: ControlRequest
    let kernel: Kernel
    let peer: ControlPeer

    /// The last line of the reply is its result or its error.
    func run() async {
        do throws(PlugboardError) {
            peer.reply(request.id, "result", try await result())
        } catch {
            peer.reply(request.id, "error", ControlText.error(error))
        }
        if request.verb == .shutdown { await shutDown() }
    }

    private func result() async throws(PlugboardError) -> JSONValue {
        switch request.verb {
        case .status: return await status()
        case .plugins: return .array(kernel.plugins.map(ControlText.plugin))
        case .metrics: return try metrics()
        case .exchanges: return .array(await kernel.exchanges().prefix(1000).map(ControlText.exchange))
        case .watch: try watch()
        case .command: return try await command()
        case .cancel: return count(await kernel.cancelExchanges(where: try selection()))
        case .suspend: return count(await kernel.suspendExchanges(where: try selection()))
        case .resume: return count(await kernel.resumeExchanges(where: try selection()))
        case .enable, .disable:
            try kernel.setEnabled(request.verb == .enable, plugin: try request.neededText("plugin"))
        case .shutdown: _ = try limit()
        }
        return .null
    }

    private func status() async -> JSONValue {
        let exchanges = await kernel.exchanges()
        return [
            "plugboard": .string(Kernel.version), "pid": .number(JSONNumber(getpid())),
            "loops": .number(JSONNumber(kernel.executors.count)), "exchanges": .number(JSONNumber(exchanges.count)),
            "plugins": .array(kernel.plugins.map { .string($0.id) }),
        ]
    }

    private func metrics() throws(PlugboardError) -> JSONValue {
        switch try request.text("format") {
        case nil, "json": .array(kernel.metrics.map(ControlText.metric))
        case "prometheus": .string(PrometheusText.text(of: kernel.metrics))
        default: throw request.wrong("format", "json or prometheus")
        }
    }

    private func watch() throws(PlugboardError) {
        var names: Set<String>?
        if let list = request.value("events") {
            let texts = list.arrayValue?.compactMap(\.stringValue)
            guard let texts, texts.count == list.arrayValue?.count, texts.count <= 64 else {
                throw request.wrong("events", "a list of at most 64 names of events")
            }
            if let name = texts.first(where: { !KernelEvent.isPossible($0) }) {
                throw request.wrong("events", "a list of names of events, and \(Printable.text(name)) is none")
            }
            names = Set(texts)
        }
        peer.observe(kernel, names)
    }

    /// A body comes in pieces, before the result, which is then null.
    private func command() async throws(PlugboardError) -> JSONValue {
        let arguments = request.value("arguments") ?? [:]
        guard arguments.objectValue != nil else { throw request.wrong("arguments", "an object") }
        let (plugin, name) = (try request.neededText("plugin"), try request.neededText("name"))
        let reply = try await peer.commands.run { [kernel] () throws(PlugboardError) in
            try await kernel.command(plugin, name, JSONWriter.write(arguments))
        }
        switch reply {
        case .json(let text):
            guard text.utf8.count <= ControlRun.replyLimit else {
                throw PlugboardError(
                    .controlRequest, "The plugin's reply has \(text.utf8.count) bytes, more than the socket sends.")
            }
            guard let value = try? JSONParser.parse(text) else {
                throw PlugboardError(.controlRequest, "The plugin's reply is no JSON.")
            }
            return value
        case .body(let body):
            var pieces = body.makeAsyncIterator()
            while let piece = try await pieces.next() {
                let bytes = piece.array
                for start in stride(from: 0, to: bytes.count, by: 48 << 10) {
                    try await peer.waitForRoom()
                    let part = Array(bytes[start..<min(start + 48 << 10, bytes.count)])
                    peer.reply(request.id, "bytes", .string(Base64.encode(part)), isLast: false)
                }
            }
            return .null
        }
    }

    /// All requests of the program, those of a tag, or one.
    private func selection() throws(PlugboardError) -> @Sendable (ObservedExchange) -> Bool {
        let (tag, id) = (try request.text("tag"), try request.number("exchange"))
        return { (tag == nil || $0.tag == tag) && (id == nil || $0.id == id) }
    }

    private func count(_ count: Int) -> JSONValue { ["exchanges": .number(JSONNumber(count))] }

    private func limit() throws(PlugboardError) -> Duration? {
        guard let text = try request.text("within") else { return nil }
        guard let limit = DurationText(text)?.duration else { throw request.wrong("within", "a duration such as 30s") }
        return limit
    }

    private func shutDown() async {
        guard let limit = try? limit() ?? .seconds(30) else { return }
        await kernel.shutDown(within: limit)
    }
}
