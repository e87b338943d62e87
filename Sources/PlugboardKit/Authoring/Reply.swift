import CPlugboard
import PlugboardJSON
import Synchronization

/// The reply of a command: its result, given once, from any thread. A second result is ignored and returns false.
///
/// When the last copy is released before there is a result, the command fails, so that its caller does not wait
/// forever.
public struct Reply: Sendable {
    private let outstanding: Outstanding

    init(number: plug_reply, host: PluginHost) { outstanding = Outstanding(number, host) }

    /// Gives a JSON value as the result.
    @discardableResult
    public func json(_ value: JSONValue) -> Bool {
        outstanding.give { host, number in
            withText(JSONWriter.write(value)) { host.raw.pointee.reply_json(host.raw, number, $0) }
        }
    }

    /// Gives a body as the result.
    @discardableResult
    public func body(_ body: Body) -> Bool {
        outstanding.give { host, number in
            host.raw.pointee.reply_body(host.raw, number, ExportedSource.make(body.source, host: host))
        }
    }

    /// Fails the command.
    @discardableResult
    public func fail(_ error: PlugboardError) -> Bool { outstanding.fail(error) }

    private final class Outstanding: Sendable {
        private let number: plug_reply
        private let host: PluginHost
        private let isGiven = Atomic(false)

        init(_ number: plug_reply, _ host: PluginHost) {
            self.number = number
            self.host = host
        }

        func give(_ tell: (PluginHost, plug_reply) -> UInt32) -> Bool {
            if isGiven.exchange(true, ordering: .relaxed) { return false }
            return tell(host, number) == PLUG_OK
        }

        func fail(_ error: PlugboardError) -> Bool {
            give { host, number in
                withText(error.code.name) { code in
                    withText(error.reason) { host.raw.pointee.reply_fail(host.raw, number, code, $0) }
                }
            }
        }

        deinit {
            if isGiven.load(ordering: .relaxed) { return }
            _ = fail(PlugboardError(.commandFailed, "The plugin gave no result for the command."))
        }
    }
}
