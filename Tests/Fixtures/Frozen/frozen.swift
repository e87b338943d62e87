// A plugin in Swift of the time when revision 1 was released: it uses the frozen header as a module of C, and
// nothing else. So its structs have the tags of a kernel's, and in one process they must have one layout.
import FrozenPlugboard

private final class Frozen {
    let host: UnsafePointer<plug_host_v1>
    let value: String

    init(host: UnsafePointer<plug_host_v1>, value: String) {
        self.host = host
        self.value = value
    }
}

private final class Seen {
    let attempt: UInt32
    init(attempt: UInt32) { self.attempt = attempt }
}

/// A text that lives as long as the process.
private func text(_ literal: StaticString) -> plug_text {
    plug_text(
        bytes: UnsafeRawPointer(literal.utf8Start).assumingMemoryBound(to: CChar.self),
        count: UInt64(literal.utf8CodeUnitCount))
}

private func with<Result>(_ string: String, _ body: (plug_text) -> Result) -> Result {
    var string = string
    return string.withUTF8 { bytes in
        bytes.withMemoryRebound(to: CChar.self) { body(plug_text(bytes: $0.baseAddress, count: UInt64($0.count))) }
    }
}

private func instance(_ context: UnsafeMutableRawPointer?) -> Frozen? {
    context.map { Unmanaged<Frozen>.fromOpaque($0).takeUnretainedValue() }
}

// The descriptor and its table are made once, and stay as long as the process.
nonisolated(unsafe) private let descriptor: UnsafePointer<plug_plugin_v1> = {
    let settings = UnsafeMutablePointer<plug_option_v1>.allocate(capacity: 1)
    settings.initialize(to: plug_option_v1())
    settings.pointee.name = text("value")
    settings.pointee.type = PLUG_TYPE_TEXT
    settings.pointee.fallback = text("one")
    settings.pointee.minimum = 1
    settings.pointee.maximum = 20
    settings.pointee.documentation = text("What the field says.")

    let plugin = UnsafeMutablePointer<plug_plugin_v1>.allocate(capacity: 1)
    plugin.initialize(to: plug_plugin_v1())
    plugin.pointee.abi_revision = PLUG_ABI_REVISION
    plugin.pointee.hooks = PLUG_ON_REQUEST | PLUG_ON_RESPONSE
    plugin.pointee.id = text("com.example.frozen-swift")
    plugin.pointee.version = text("1.0.0")
    plugin.pointee.documentation = text("Uses what revision 1 has, from Swift.")
    plugin.pointee.priority = 460
    plugin.pointee.settings = UnsafePointer(settings)
    plugin.pointee.setting_count = 1
    plugin.pointee.create = { host, settings in
        guard let host else { return nil }
        var value = plug_text()
        _ = host.pointee.setting_text(settings, text("value"), &value)
        let bytes = UnsafeRawBufferPointer(start: value.bytes, count: Int(value.count))
        return Unmanaged.passRetained(Frozen(host: host, value: String(decoding: bytes, as: UTF8.self))).toOpaque()
    }
    plugin.pointee.destroy = { context in
        if let context { Unmanaged<Frozen>.fromOpaque(context).release() }
    }
    plugin.pointee.on_request = { context, exchange in
        guard let frozen = instance(context) else { return PLUG_VERDICT_FAULT }
        let host = frozen.host.pointee
        let seen = Unmanaged.passRetained(Seen(attempt: host.attempt(exchange))).toOpaque()
        let release: @Sendable @convention(c) (UnsafeMutableRawPointer?) -> Void = { state in
            if let state { Unmanaged<Seen>.fromOpaque(state).release() }
        }
        if host.set_turn_state(exchange, seen, release) != PLUG_OK { release(seen) }
        return with(frozen.value) { value in
            host.set_field(host.request(exchange), text("x-frozen-swift"), value) == PLUG_OK
                ? PLUG_VERDICT_NEXT
                : host.fail(exchange, text("frozen.value"), text("The setting value is no value of a field."))
        }
    }
    plugin.pointee.on_response = { context, exchange in
        guard let frozen = instance(context) else { return PLUG_VERDICT_FAULT }
        let host = frozen.host.pointee
        let seen = host.turn_state(exchange).map { Unmanaged<Seen>.fromOpaque($0).takeUnretainedValue() }
        return with("\(seen?.attempt ?? 99)") { attempt in
            host.set_field(host.response(exchange), text("x-turn-began-at"), attempt) == PLUG_OK
                ? PLUG_VERDICT_NEXT : PLUG_VERDICT_FAULT
        }
    }
    return UnsafePointer(plugin)
}()

@c(frozen_swift_LTX_plugboard_plugin)
public func plugin() -> UnsafePointer<plug_plugin_v1> { descriptor }
