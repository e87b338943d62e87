import CPlugboard
import PlugboardBorder

extension HostTable {
    static func setBodies(_ table: inout plug_host_v1) {
        table.body_of_bytes = { host, bytes in
            guard let host = HostContext.from(host) else {
                bytes.release?(bytes.context)
                return nil
            }
            guard let bytes = makeBytes(bytes, of: host) else { return nil }
            let body = Body.bytes(bytes)
            return host.startedCore.map { core in
                let current = core.current
                return giveNode(BodyNode(body.source, home: current ?? core.first, isBound: current != nil))
            }
        }
        table.body_of_source = { host, source in
            guard let table = source?.pointee else { return nil }
            guard let host = HostContext.from(host) else {
                table.release?(table.context)
                return nil
            }
            guard let core = host.startedCore else {
                host.call(.release) { table.release?(table.context) }
                return nil
            }
            let current = core.current
            let home = current ?? core.first
            let plugin = PluginSource(table, of: core.pipeline.slots[host.index], home: home)
            return giveNode(BodyNode(plugin, home: home, isBound: current != nil, checksLength: true))
        }
        table.body_length = { body in
            body.flatMap { borrowNode($0).length }.map { UInt64(clamping: $0) } ?? UInt64.max
        }
        table.body_can_rewind = { body in body.map { nodeHere($0) }.map { $0.isHere && $0.canRewind } == true ? 1 : 0 }
        table.body_pull = { body, context, pulled in
            guard let body, let pulled else { return PLUG_BAD_ARGUMENT }
            let node = borrowNode(body)
            let reader = node.core.current
            let delivery = PieceDelivery(to: reader?.containment.caller, context: context, pulled: pulled)
            if let reader { node.bind(to: reader) }
            guard let reader, reader !== node.home else {
                node.pull { delivery.deliver($0, node.home) }
                return PLUG_OK
            }
            // The plugin reads on another loop than the body's.
            node.pull { [core = node.core] piece in
                let deliver = { @Sendable in withExtendedLifetime(core) { delivery.deliver(piece, reader) } }
                if !reader.loop.enqueue(deliver) { deliver() }
            }
            return PLUG_OK
        }
        table.body_rewind = { body in
            body.map { nodeHere($0) }.map { $0.isHere && $0.rewind() } == true ? PLUG_OK : PLUG_WRONG_TIME
        }
        table.body_release = { body in
            if case .some(.some(let node)) = takeNode(body) { node.releaseByPlugin() }
        }
        setCompletions(&table)
        setExchangeBodies(&table)
    }

    private static func setCompletions(_ table: inout plug_host_v1) {
        table.pull_give = { host, pull, bytes in
            guard let host = HostContext.from(host) else {
                bytes.release?(bytes.context)
                return PLUG_BAD_ARGUMENT
            }
            if let bytes = makeBytes(bytes, of: host) { return completePull(host, pull, .bytes(bytes)) }
            let error = PlugboardError(
                .pluginFault, "The plugin \(host.id) passed NULL for \(bytes.count) bytes of a body.", plugin: host.id)
            return completePull(host, pull, .broken(error)) == PLUG_OK ? PLUG_BAD_ARGUMENT : PLUG_STALE
        }
        table.pull_end = { host, pull, trailers, count in
            guard let host = HostContext.from(host) else { return PLUG_BAD_ARGUMENT }
            do throws(PlugboardError) {
                return completePull(host, pull, .end(trailers: try checkedFields(trailers, count)))
            } catch {
                let error = PlugboardError(
                    .pluginFault,
                    "The plugin \(host.id) ended a body with trailers that cannot be sent: \(error.reason).",
                    plugin: host.id)
                return completePull(host, pull, .broken(error)) == PLUG_OK ? PLUG_BAD_ARGUMENT : PLUG_STALE
            }
        }
        table.pull_fail = { host, pull, code, reason in
            guard let host = HostContext.from(host) else { return PLUG_BAD_ARGUMENT }
            return completePull(host, pull, .broken(PlugboardError(code, reason, plugin: host.id)))
        }
        table.piece_keep = { host, piece, bytes in
            guard let host = HostContext.from(host), let piece, let bytes else { return PLUG_BAD_ARGUMENT }
            guard let original = PieceDelivery.original(of: piece, host.core) else {
                return PLUG_WRONG_TIME
            }
            let kept = KeptBytes(original.bytes)
            bytes.pointee = kept.bytes.withUnsafeBytes { view in
                plug_bytes(
                    bytes: view.baseAddress, count: UInt64(view.count),
                    release: { context in if let context { Unmanaged<KeptBytes>.fromOpaque(context).release() } },
                    context: Unmanaged.passRetained(kept).toOpaque())
            }
            return PLUG_OK
        }
        table.pull_forward = { host, pull, piece in
            guard let host = HostContext.from(host), let piece else { return PLUG_BAD_ARGUMENT }
            guard let original = PieceDelivery.original(of: piece, host.core) else { return PLUG_WRONG_TIME }
            return completePull(host, pull, original)
        }
    }

    private static func setExchangeBodies(_ table: inout plug_host_v1) {
        table.take_request_body = { pointer in steering(pointer)?.takeRequestBody().map { giveNode($0) } }
        table.set_request_body = { pointer, body in
            guard let node = takeNode(body) else { return PLUG_BAD_ARGUMENT }
            return steering(pointer).map { $0.setRequestBody(node?.adopted(by: $0.home)) } ?? PLUG_WRONG_TIME
        }
        table.take_response_body = { pointer in steering(pointer)?.takeResponseBody().map { giveNode($0) } }
        table.set_response_body = { pointer, body in
            guard let node = takeNode(body) else { return PLUG_BAD_ARGUMENT }
            return steering(pointer).map { $0.setResponseBody(node?.adopted(by: $0.home)) } ?? PLUG_WRONG_TIME
        }
        table.held_body = { pointer in
            guard let exchange = steering(pointer), let held = exchange.heldBody else { return plug_text() }
            return held.withUnsafeBytes { plug_text($0) }
        }
        table.whole_response_body = { pointer, bytes in
            guard let exchange = steering(pointer), let bytes, let whole = exchange.showWholeResponseBody() else {
                return 0
            }
            bytes.pointee = whole.withUnsafeBytes { plug_text($0) }
            return 1
        }
    }
}

/// Bytes of a piece that a plugin keeps.
private final class KeptBytes: Sendable {
    let bytes: Bytes

    init(_ bytes: Bytes) { self.bytes = bytes }
}

extension Piece {
    fileprivate var bytes: Bytes { if case .bytes(let bytes) = self { bytes } else { .empty } }
}

/// The body, which belongs to the calling loop from now on if it belonged to none.
private func nodeHere(_ body: OpaquePointer) -> BodyNode {
    let node = borrowNode(body)
    if let current = node.core.current { node.bind(to: current) }
    return node
}
