import CPlugboard
import Synchronization

// Gives authors the one C type that they write.
@_exported import struct CPlugboard.plug_plugin_v1

/// Makes the descriptor of a Swift plugin, which its exported function returns to the kernel.
///
///     @c(user_agent_LTX_plugboard_plugin)
///     public func plugin() -> UnsafePointer<plug_plugin_v1> { export(UserAgent.self) }
///
/// The descriptor is made once for each type, and stays as long as the process lives.
@inlinable
public func export<P: Plugin>(_ type: P.Type) -> UnsafePointer<plug_plugin_v1> {
    knownDescriptor(of: ObjectIdentifier(type)) {
        makeDescriptor(P.manifest, P.Settings.self) { Instance(try P(settings: $0, host: $1), host: $1) }
    }
}

@usableFromInline
func knownDescriptor(
    of type: ObjectIdentifier, _ make: () -> UnsafePointer<plug_plugin_v1>
) -> UnsafePointer<plug_plugin_v1> {
    descriptors.withLock { made in
        if let descriptor = made[type] { return descriptor }
        let descriptor = DescriptorPointer(raw: make())
        made[type] = descriptor
        return descriptor
    }.raw
}

private let descriptors = Mutex<[ObjectIdentifier: DescriptorPointer]>([:])

/// Sendable because a descriptor never changes once it is made.
private struct DescriptorPointer: @unchecked Sendable {
    let raw: UnsafePointer<plug_plugin_v1>
}

/// Makes instances of one type. The descriptor's `context` points at it.
private final class Maker: Sendable {
    let make: @Sendable (PluginHost, OpaquePointer?) throws -> Instance

    init<Settings: PluginSettings>(_ create: @escaping @Sendable (Settings, PluginHost) throws -> Instance) {
        make = { host, settings in
            let values = Settings { name, _ in
                var text = plug_text()
                let found = withText(name) { host.raw.pointee.setting_text(settings, $0, &text) } == PLUG_OK
                return found ? text.optionalString : nil
            }
            return try create(values, host)
        }
    }
}

/// Makes a descriptor that stays as long as the process lives.
package func makeDescriptor<P: Plugin>(
    _ manifest: Manifest, _ create: @escaping @Sendable (P.Settings, PluginHost) throws -> P
) -> UnsafePointer<plug_plugin_v1> {
    makeDescriptor(manifest, P.Settings.self) { Instance(try create($0, $1), host: $1) }
}

@usableFromInline
func makeDescriptor<Settings: PluginSettings>(
    _ manifest: Manifest, _: Settings.Type, _ create: @escaping @Sendable (Settings, PluginHost) throws -> Instance
) -> UnsafePointer<plug_plugin_v1> {
    var table = plug_plugin_v1()
    table.abi_revision = UInt32(PLUG_ABI_REVISION)
    table.hooks = manifest.hooks.rawValue
    table.id = plug_text(immortal: manifest.id)
    table.version = plug_text(immortal: manifest.version)
    table.documentation = plug_text(immortal: manifest.documentation)
    table.priority = Int32(clamping: manifest.priority)
    (table.before, table.before_count) = immortal(manifest.before.map { plug_text(immortal: $0) })
    (table.after, table.after_count) = immortal(manifest.after.map { plug_text(immortal: $0) })
    (table.events, table.event_count) = immortal(manifest.events.map { plug_text(immortal: $0) })
    (table.settings, table.setting_count) = immortal(Settings.definitions.map(\.immortal))
    (table.attributes, table.attribute_count) = immortal(manifest.attributes.map(\.immortal))
    (table.commands, table.command_count) = immortal(
        manifest.commands.map {
            plug_command_v1(
                name: plug_text(immortal: $0.name), arguments: plug_text(immortal: $0.arguments),
                documentation: plug_text(immortal: $0.documentation))
        })
    table.context = Unmanaged.passRetained(Maker(create)).toOpaque()
    setLife(&table)
    setHooks(&table)
    let place = UnsafeMutablePointer<plug_plugin_v1>.allocate(capacity: 1)
    place.initialize(to: table)
    return UnsafePointer(place)
}

private func setLife(_ table: inout plug_plugin_v1) {
    table.create = { host, settings in
        guard let host, let context = host.pointee.plugin.pointee.context else { return nil }
        let maker = Unmanaged<Maker>.fromOpaque(context).takeUnretainedValue()
        let seen = PluginHost(host)
        do {
            return Unmanaged.passRetained(try maker.make(seen, settings)).toOpaque()
        } catch {
            seen.end()
            withText(describe(error)) { host.pointee.refuse(host, $0) }
            return nil
        }
    }
    table.start = { context in
        guard let instance = borrow(context) else { return PLUG_BAD_ARGUMENT }
        do {
            try instance.start()
            return PLUG_OK
        } catch {
            instance.host.tasks.cancel()
            withText(describe(error)) { instance.host.raw.pointee.refuse(instance.host.raw, $0) }
            return PLUG_BAD_ARGUMENT
        }
    }
    table.stop = { context, within in borrow(context)?.stop(within: .nanoseconds(within)) }
    table.destroy = { context in
        if let context { Unmanaged<Instance>.fromOpaque(context).takeRetainedValue().host.end() }
    }
    table.extension = { $0.string == PLUG_ATTRIBUTES ? UnsafeRawPointer(attributesExtension.raw) : nil }
}

private let attributesExtension = AttributesExtension()

/// Sendable because the table never changes once it is made.
private struct AttributesExtension: @unchecked Sendable {
    let raw: UnsafePointer<plug_attributes_v1>

    init() {
        let place = UnsafeMutablePointer<plug_attributes_v1>.allocate(capacity: 1)
        place.initialize(
            to: plug_attributes_v1(check: { context, fields, count in
                guard let instance = borrow(context) else { return PLUG_BAD_ARGUMENT }
                var attributes = Attributes()
                for field in UnsafeBufferPointer(start: fields, count: fields == nil ? 0 : Int(clamping: count)) {
                    attributes[field.name.string] = field.value.string
                }
                do {
                    try instance.check(attributes)
                    return PLUG_OK
                } catch {
                    withText(describe(error)) { instance.host.raw.pointee.refuse(instance.host.raw, $0) }
                    return PLUG_BAD_ARGUMENT
                }
            }))
        raw = UnsafePointer(place)
    }
}

private func setHooks(_ table: inout plug_plugin_v1) {
    table.on_request = { context, exchange in
        guard let exchange else { return PLUG_NEXT }
        return borrow(context)?.onRequest(exchange) ?? PLUG_NEXT
    }
    table.on_response = { context, exchange in
        guard let exchange else { return PLUG_NEXT }
        return borrow(context)?.onResponse(exchange) ?? PLUG_NEXT
    }
    table.on_failure = { context, exchange in
        guard let exchange else { return PLUG_NEXT }
        return borrow(context)?.onFailure(exchange) ?? PLUG_NEXT
    }
    table.on_close = { context, exchange, outcome in
        if let exchange { borrow(context)?.onClose(exchange, outcome) }
    }
    table.on_event = { context, exchange, event in
        if let event { borrow(context)?.onEvent(exchange, event) }
    }
    table.command = { context, name, arguments, reply in
        borrow(context)?.command(name.string, arguments.count == 0 ? "{}" : arguments.string, reply)
    }
}

private func borrow(_ context: UnsafeMutableRawPointer?) -> Instance? {
    context.map { Unmanaged<Instance>.fromOpaque($0).takeUnretainedValue() }
}

/// An array that stays as long as the process lives.
private func immortal<Element>(_ elements: [Element]) -> (UnsafePointer<Element>?, UInt64) {
    guard !elements.isEmpty else { return (nil, 0) }
    let place = UnsafeMutablePointer<Element>.allocate(capacity: elements.count)
    place.initialize(from: elements, count: elements.count)
    return (UnsafePointer(place), UInt64(elements.count))
}
