import CPlugboard
import PlugboardBorder

/// Work of plugins outside of exchanges: descriptors, work that blocks, services of others, arguments of commands.
extension HostTable {
    static func setWork(_ table: inout plug_host_v1) {
        table.watch = { host, loop, descriptor, wanted, context, ready, release in
            guard let host = HostContext.from(host), let ready, descriptor >= 0,
                let core = host.startedCore
            else { return 0 }
            let address = UInt(bitPattern: context)
            let watch = PluginWatches.Watch(
                slot: host.index, descriptor: descriptor, wanted: wanted,
                ready: { watch, flags in
                    host.call(.ready) { ready(UnsafeMutableRawPointer(bitPattern: address), watch, flags) }
                },
                release: { host.call(.release) { release?(UnsafeMutableRawPointer(bitPattern: address)) } })
            return core.loop(loop).watches.start(watch)
        }
        table.rewatch = { host, watch, wanted in
            HostContext.from(host)?.core?.home(of: watch).watches.change(watch, wanted) == true
                ? PLUG_OK : PLUG_STALE
        }
        table.unwatch = { host, watch in
            HostContext.from(host)?.core?.home(of: watch).watches.stop(watch) == true
                ? PLUG_OK : PLUG_STALE
        }
        table.run_blocking = { host, loop, context, work, done in
            guard let host = HostContext.from(host), let work else { return PLUG_BAD_ARGUMENT }
            guard let core = host.startedCore else { return host.codeOfAbsence }
            // A shutdown waits for this work as for a command.
            guard core.commandCalls.enter(host.index) else { return PLUG_STALE }
            let (address, home) = (UInt(bitPattern: context), core.loop(loop))
            let isTaken = core.blocking.run {
                host.call(.work) { work(UnsafeMutableRawPointer(bitPattern: address)) }
                let finish = { @Sendable in
                    host.call(.done) { done?(UnsafeMutableRawPointer(bitPattern: address)) }
                    core.commandCalls.leave(host.index)
                }
                if !home.loop.enqueue(finish) { finish() }
            }
            if !isTaken { core.commandCalls.leave(host.index) }
            return isTaken ? PLUG_OK : PLUG_TOO_LARGE
        }
        table.service = { HostContext.from($0)?.service($1.string) }
        table.url_parts = { url, parts in
            guard url.isReadable, let parts, let found = plug_url_parts_v1(url) else { return PLUG_BAD_ARGUMENT }
            parts.pointee = found
            return PLUG_OK
        }
        table.argument_integer = { give(HostContext.from($0)?.arguments[$1]?[$2]?.integer, to: $3) }
        table.argument_text = { give(HostContext.from($0)?.arguments[$1]?[$2]?.text, to: $3) }
        table.argument_item = { give(HostContext.from($0)?.arguments[$1]?[$2]?.item($3), to: $4) }
    }
}

extension plug_url_parts_v1 {
    /// The parts of an absolute URL, within its text; nil for another text.
    fileprivate init?(_ url: plug_text) {
        // Not a repaired copy, which would have other positions.
        guard let text = String(validating: url.buffer, as: UTF8.self), let parts = URLParts(text),
            let origin = Origin(url: text), let scheme = parts.scheme, let host = parts.host
        else { return nil }
        func within(_ part: Substring?) -> plug_text {
            guard let part, let bytes = url.bytes else { return plug_text() }
            let start = parts.text.utf8.distance(from: parts.text.startIndex, to: part.startIndex)
            return plug_text(bytes: bytes + start, count: UInt64(part.utf8.count))
        }
        self.init(
            scheme: within(scheme), userinfo: within(parts.userinfo?.dropLast()), host: within(host),
            path: within(parts.path), query: within(parts.query), fragment: within(parts.fragment),
            port: UInt32(origin.port), reserved: 0)
    }
}
