import CPlugboard
import Synchronization

// The one C type that authors of plugins write.
@_exported import struct CPlugboard.plug_plugin_v1

extension Plugin {
    /// The plugin's descriptor, which its exported function returns to the kernel.
    ///
    ///     @c(user_agent_LTX_plugboard_plugin)
    ///     public func plugin() -> UnsafePointer<plug_plugin_v1> { UserAgent.descriptor }
    ///
    /// The descriptor is made once for each type, and stays as long as the process lives.
    @inlinable
    public static var descriptor: UnsafePointer<plug_plugin_v1> { linkedDescriptor(of: Self.self).raw }
}

/// The descriptor of a type, as for `Plugin.descriptor`, for entries that are made in code.
@inlinable
func linkedDescriptor<P: Plugin>(of type: P.Type) -> LinkedDescriptor {
    knownDescriptor(of: ObjectIdentifier(type)) {
        LinkedDescriptor(P.manifest, P.Settings.self) { Instance(try P(settings: $0, host: $1), host: $1) }
    }
}

@usableFromInline
func knownDescriptor(of type: ObjectIdentifier, _ make: () -> LinkedDescriptor) -> LinkedDescriptor {
    descriptors.withLock { made in
        if let descriptor = made[type] { return descriptor }
        let descriptor = make()
        made[type] = descriptor
        return descriptor
    }
}

private let descriptors = Mutex<[ObjectIdentifier: LinkedDescriptor]>([:])

/// Makes an instance. The descriptor's `context` points at it.
final class Maker: Sendable {
    let make: @Sendable (PluginHost, OpaquePointer?) throws -> Instance

    init(_ make: @escaping @Sendable (PluginHost, OpaquePointer?) throws -> Instance) { self.make = make }
}

extension LinkedDescriptor {
    /// - Parameter create: Makes an instance for one kernel.
    @usableFromInline
    convenience init<Settings: PluginSettings>(
        _ manifest: Manifest, _: Settings.Type, _ create: @escaping @Sendable (Settings, PluginHost) throws -> Instance
    ) {
        self.init(manifest, settings: Settings.definitions) { host, settings in
            try create(Settings(settings, host: host), host)
        }
    }

    /// - Parameter make: Makes an instance for one kernel.
    package convenience init<P: PluginInstance>(
        _ manifest: Manifest, _ make: @escaping @Sendable (P.Settings, PluginHost) throws -> P
    ) {
        self.init(manifest, P.Settings.self) { Instance(try make($0, $1), host: $1) }
    }

    convenience init(
        _ manifest: Manifest, settings: [OptionDefinition],
        _ make: @escaping @Sendable (PluginHost, OpaquePointer?) throws -> Instance
    ) {
        let maker = Maker(make)
        var functions = plug_plugin_v1.ofInstances
        functions.context = Unmanaged.passUnretained(maker).toOpaque()
        self.init(manifest, settings: settings, calling: functions, keeping: maker)
    }
}

extension PluginSettings {
    /// The settings of the configuration for the plugin that is being created.
    init(_ settings: OpaquePointer?, host: PluginHost) {
        self.init { name in
            var text = plug_text()
            let found = withText(name) { host.raw.pointee.setting_text(settings, $0, &text) } == PLUG_OK
            return found ? text.optionalString : nil
        }
    }
}

extension plug_plugin_v1 {
    /// The functions of a plugin in Swift; the tables are added by `LinkedDescriptor`.
    static var ofInstances: plug_plugin_v1 {
        var table = plug_plugin_v1()
        setLife(&table)
        setHooks(&table)
        return table
    }
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
    table.check = { context, fields, count in
        guard let instance = borrow(context) else { return PLUG_BAD_ARGUMENT }
        var attributes = Attributes()
        for field in UnsafeBufferPointer(start: fields, count: fields == nil ? 0 : Int(clamping: count)) {
            attributes[field.name.string] = field.value.string
        }
        return reporting(instance) { try instance.check(attributes) }
    }
    table.start = { context in
        guard let instance = borrow(context) else { return PLUG_BAD_ARGUMENT }
        let result = reporting(instance) { try instance.start() }
        if result != PLUG_OK { instance.host.tasks.cancel() }
        return result
    }
    table.service = { context, id in borrow(context)?.service(id.string) }
    table.stop = { context, within in borrow(context)?.stop(within: .nanoseconds(within)) }
    table.destroy = { context in
        if let context { Unmanaged<Instance>.fromOpaque(context).takeRetainedValue().host.end() }
    }
}

/// Calls a function of the instance. An error that it throws refuses the plugin.
private func reporting(_ instance: Instance, _ call: () throws -> Void) -> plug_result {
    do {
        try call()
        return PLUG_OK
    } catch {
        withText(describe(error)) { instance.host.raw.pointee.refuse(instance.host.raw, $0) }
        return PLUG_BAD_ARGUMENT
    }
}

private func setHooks(_ table: inout plug_plugin_v1) {
    table.on_request = { context, exchange in
        guard let context, let exchange else { return PLUG_VERDICT_NEXT }
        return withInstance(context) { $0.onRequest(exchange) }
    }
    table.on_response = { context, exchange in
        guard let context, let exchange else { return PLUG_VERDICT_NEXT }
        return withInstance(context) { $0.onResponse(exchange) }
    }
    table.on_failure = { context, exchange in
        guard let context, let exchange else { return PLUG_VERDICT_NEXT }
        return withInstance(context) { $0.onFailure(exchange) }
    }
    table.on_close = { context, exchange, outcome in
        if let context, let exchange { withInstance(context) { $0.onClose(exchange, outcome) } }
    }
    table.on_event = { context, exchange, event in
        if let context, let event { withInstance(context) { $0.onEvent(exchange, event) } }
    }
    table.command = { context, name, arguments, reply in
        borrow(context)?.command(name.string, arguments.count == 0 ? "{}" : arguments.string, reply)
    }
}

/// Calls a hook of the instance without reference counting, because the kernel keeps the instance meanwhile.
@inline(__always)
private func withInstance<Result>(_ context: UnsafeMutableRawPointer, _ call: (Instance) -> Result) -> Result {
    Unmanaged<Instance>.fromOpaque(context)._withUnsafeGuaranteedRef(call)
}

private func borrow(_ context: UnsafeMutableRawPointer?) -> Instance? {
    context.map { Unmanaged<Instance>.fromOpaque($0).takeUnretainedValue() }
}
