import CPlugboard
import JSON
import Synchronization

/// The outstanding answer of a command: given once, from any thread; a second one is ignored and returns false.
///
/// When the last copy goes and there was no answer, the command fails, so that who asked never waits for ever.
public struct Reply: Sendable {
    private let outstanding: Outstanding

    init(number: plug_reply, host: PluginHost) { outstanding = Outstanding(number, host) }

    @discardableResult
    public func json(_ value: JSONValue) -> Bool {
        outstanding.answer { host, number in
            withText(JSONWriter.write(value)) { host.raw.pointee.reply_json(host.raw, number, $0) }
        }
    }

    @discardableResult
    public func body(_ body: Body) -> Bool {
        outstanding.answer { host, number in
            host.raw.pointee.reply_body(host.raw, number, ExportedSource.make(body.source, host: host))
        }
    }

    @discardableResult
    public func fail(_ error: PlugboardError) -> Bool { outstanding.fail(error) }

    private final class Outstanding: Sendable {
        private let number: plug_reply
        private let host: PluginHost
        private let isAnswered = Atomic(false)

        init(_ number: plug_reply, _ host: PluginHost) {
            self.number = number
            self.host = host
        }

        func answer(_ tell: (PluginHost, plug_reply) -> UInt32) -> Bool {
            if isAnswered.exchange(true, ordering: .relaxed) { return false }
            return tell(host, number) == PLUG_OK
        }

        func fail(_ error: PlugboardError) -> Bool {
            answer { host, number in
                withText(error.code.name) { code in
                    withText(error.reason) { host.raw.pointee.reply_failed(host.raw, number, code, $0) }
                }
            }
        }

        deinit {
            if isAnswered.load(ordering: .relaxed) { return }
            _ = fail(PlugboardError(.pluginCommand, "The plugin let go of the command without an answer."))
        }
    }
}
