import CPlugboard
import JSON

/// The outstanding answer of a command: given once, from any thread; a second one is ignored and returns false.
public struct Reply: Sendable {
    let number: plug_reply
    let host: Host

    @discardableResult
    public func json(_ value: JSONValue) -> Bool {
        withText(JSONWriter.write(value)) { host.raw.pointee.reply_json(host.raw, number, $0) } == PLUG_OK
    }

    @discardableResult
    public func body(_ body: Body) -> Bool {
        host.raw.pointee.reply_body(host.raw, number, ExportedSource.make(body.source, host: host)) == PLUG_OK
    }

    @discardableResult
    public func fail(_ error: PlugboardError) -> Bool {
        withText(error.code.name) { code in
            withText(error.reason) { host.raw.pointee.reply_failed(host.raw, number, code, $0) }
        } == PLUG_OK
    }
}
