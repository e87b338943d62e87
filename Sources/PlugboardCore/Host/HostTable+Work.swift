import CPlugboard
import PlugboardBorder
import PlugboardJSON
import Synchronization

/// Work of plugins outside of exchanges: descriptors, work that blocks, services of others, arguments of commands.
extension HostTable {
    static func setWork(_ table: inout plug_host_v1) {
        table.watch = { host, loop, descriptor, wanted, context, ready, release in
            guard let host = host.map({ HostContext.from($0) }), let ready, descriptor >= 0,
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
            host.flatMap { HostContext.from($0).core?.home(of: watch).watches.change(watch, wanted) } == true
                ? PLUG_OK : PLUG_STALE
        }
        table.unwatch = { host, watch in
            host.flatMap { HostContext.from($0).core?.home(of: watch).watches.stop(watch) } == true
                ? PLUG_OK : PLUG_STALE
        }
        table.run_blocking = { host, loop, context, work, done in
            guard let host = host.map({ HostContext.from($0) }), let work else { return PLUG_BAD_ARGUMENT }
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
        table.service = { host, id in host.flatMap { HostContext.from($0).service(id.string) } }
        table.url_parts = { url, parts in
            guard url.isReadable, let parts, let found = plug_url_parts_v1(url) else { return PLUG_BAD_ARGUMENT }
            parts.pointee = found
            return PLUG_OK
        }
        table.argument_integer = { host, reply, name, value in
            guard let number = argumentsOf(host, reply)?.integer(name.string) else { return PLUG_NOT_FOUND }
            value?.pointee = number
            return PLUG_OK
        }
        table.argument_text = { host, reply, name, value in
            guard let text = argumentsOf(host, reply)?.text(name.string) else { return PLUG_NOT_FOUND }
            value?.pointee = text
            return PLUG_OK
        }
        table.argument_item = { host, reply, name, index, item in
            guard let found = argumentsOf(host, reply)?.item(name.string, index) else { return PLUG_NOT_FOUND }
            item?.pointee = found
            return PLUG_OK
        }
    }
}

private func argumentsOf(_ host: UnsafePointer<plug_host_v1>?, _ reply: plug_reply) -> ArgumentsNode? {
    host.flatMap { HostContext.from($0).arguments[reply] }
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

/// What C sees as the arguments of a command, while it runs. Each text is made once. [any]
final class ArgumentsNode: Sendable {
    /// Sendable because it is used under the lock.
    private struct State: @unchecked Sendable {
        var members: JSONObject?
        /// Each argument as text, in the order of the members.
        var texts: [plug_text] = []
        /// The items of each argument; none for a text, a number or a bool.
        var items: [[plug_field]] = []
        let scratch = Scratch()
    }

    private let json: String
    private let state = Mutex(State())

    init(_ json: String) { self.json = json }

    func integer(_ name: String) -> Int64? {
        var integer: Int64?
        with(name) { state, _ in
            switch state.members?[name] {
            case .bool(let bool): integer = bool ? 1 : 0
            case .number(let number): integer = Int64(number.text)
            default: break
            }
        }
        return integer
    }

    func text(_ name: String) -> plug_text? {
        var text: plug_text?
        with(name) { text = $0.texts[$1] }
        return text
    }

    func item(_ name: String, _ index: UInt64) -> plug_field? {
        var item: plug_field?
        with(name) { state, position in
            if index < UInt64(state.items[position].count) { item = state.items[position][Int(index)] }
        }
        return item
    }

    private static func text(_ value: JSONValue, _ scratch: Scratch) -> plug_text {
        if case .string(let string) = value { return scratch.text(string) }
        return scratch.text("\(value)")
    }

    /// Calls a function with the position of an argument, if there is one.
    private func with(_ name: String, _ read: (borrowing State, Int) -> Void) {
        state.withLock { state in
            if state.members == nil {
                let members = (try? JSONParser.parse(json))?.objectValue ?? JSONObject()
                for (_, value) in members {
                    state.texts.append(ArgumentsNode.text(value, state.scratch))
                    state.items.append(ArgumentsNode.items(of: value, state.scratch))
                }
                state.members = members
            }
            if let position = state.members?.position(of: name) { read(state, position) }
        }
    }

    private static func items(of value: JSONValue, _ scratch: Scratch) -> [plug_field] {
        var fields: [plug_field] = []
        if case .array(let items) = value {
            for item in items { fields.append(plug_field(name: plug_text(), value: text(item, scratch))) }
        } else if case .object(let members) = value {
            for (key, member) in members {
                fields.append(plug_field(name: scratch.text(key), value: text(member, scratch)))
            }
        }
        return fields
    }
}
