import CPlugboard
import PlugboardKit

extension HostTable {
    static func setBodies(_ table: inout plug_host_v1) {
        table.body_of_bytes = { host, bytes in
            guard let host = host.map({ HostContext.from($0) }) else {
                bytes.release?(bytes.context)
                return nil
            }
            let body = Body.bytes(makeBytes(bytes, of: host))
            return host.startedCore.map { giveNode(BodyNode(body.source, core: $0)) }
        }
        table.body_of_source = { host, source in
            guard let source, let host = host.map({ HostContext.from($0) }) else { return nil }
            let table = source.pointee
            guard let core = host.startedCore else {
                host.call(.release) { table.release?(table.context) }
                return nil
            }
            return giveNode(BodyNode(PluginSource(table, of: core.pipeline.slots[host.index], core: core), core: core))
        }
        table.body_length = { body in
            body.flatMap { borrowNode($0).length }.map { UInt64(clamping: $0) } ?? UInt64.max
        }
        table.body_can_rewind = { body in body.map { borrowNode($0).canRewind } == true ? 1 : 0 }
        table.body_pull = { body, context, pulled in
            guard let body, let pulled else { return PLUG_BAD_ARGUMENT }
            let node = borrowNode(body)
            let delivery = PieceDelivery(to: node.core.containment.caller, context: context, pulled: pulled)
            node.pull { delivery.deliver($0, node.core) }
            return PLUG_OK
        }
        table.body_rewind = { body in
            body.map { borrowNode($0).rewind() } == true ? PLUG_OK : PLUG_WRONG_TIME
        }
        table.body_release = { body in
            if let body { takeNode(body).releaseByPlugin() }
        }
        setCompletions(&table)
        setExchangeBodies(&table)
    }

    private static func setCompletions(_ table: inout plug_host_v1) {
        table.pull_give = { host, pull, bytes in
            guard let host else {
                bytes.release?(bytes.context)
                return PLUG_BAD_ARGUMENT
            }
            let bytes = makeBytes(bytes, of: HostContext.from(host))
            return completePull(host, pull, .bytes(bytes))
        }
        table.pull_end = { host, pull, trailers, count in
            guard let host else { return PLUG_BAD_ARGUMENT }
            do throws(PlugboardError) {
                return completePull(host, pull, .end(trailers: try checkedFields(trailers, count)))
            } catch {
                let id = HostContext.from(host).id
                let error = PlugboardError(
                    .pluginFault, "The plugin \(id) ended a body with trailers that cannot be sent: \(error.reason).",
                    plugin: id)
                return completePull(host, pull, .broken(error)) == PLUG_OK ? PLUG_BAD_ARGUMENT : PLUG_STALE
            }
        }
        table.pull_fail = { host, pull, code, reason in
            guard let host else { return PLUG_BAD_ARGUMENT }
            return completePull(host, pull, .broken(PlugboardError(code, reason, plugin: HostContext.from(host).id)))
        }
        table.pull_forward = { host, pull, piece in
            guard let host, let piece else { return PLUG_BAD_ARGUMENT }
            guard let original = PieceDelivery.original(of: piece, HostContext.from(host).core) else {
                return PLUG_WRONG_TIME
            }
            return completePull(host, pull, original)
        }
    }

    private static func setExchangeBodies(_ table: inout plug_host_v1) {
        table.take_request_body = { pointer in steering(pointer)?.takeRequestBody().map { giveNode($0) } }
        table.set_request_body = { pointer, body in
            let node = body.map { takeNode($0) }
            return steering(pointer)?.setRequestBody(node) ?? PLUG_WRONG_TIME
        }
        table.take_response_body = { pointer in steering(pointer)?.takeResponseBody().map { giveNode($0) } }
        table.set_response_body = { pointer, body in
            let node = body.map { takeNode($0) }
            return steering(pointer)?.setResponseBody(node) ?? PLUG_WRONG_TIME
        }
        table.held_body = { pointer in
            guard let exchange = steering(pointer), let held = exchange.heldBody else { return plug_text() }
            return held.withUnsafeBytes { plug_text($0) }
        }
    }
}
