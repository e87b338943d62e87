import CPlugboard

/// The descriptor of a plugin in Swift, with the memory of its texts and tables, which the last reference releases.
///
/// The descriptor of an exported type is never released; that of an instance or of closures lives as long as
/// the entries, catalogs and kernels that hold it.
///
/// Sendable because nothing in it changes once it is made.
@usableFromInline
package final class LinkedDescriptor: @unchecked Sendable {
    @usableFromInline package let raw: UnsafePointer<plug_plugin_v1>
    package let id: String
    private let maker: any AnyObject & Sendable
    private let memory: DescriptorMemory

    /// - Parameters:
    ///   - functions: The plugin's functions, with the context that they are called with; the rest is filled in here.
    ///   - maker: What the context points at; released with the descriptor.
    package init(
        _ manifest: Manifest, settings: [OptionDefinition], calling functions: plug_plugin_v1,
        keeping maker: any AnyObject & Sendable
    ) {
        let memory = DescriptorMemory()
        var table = functions
        table.abi_revision = PLUG_ABI_REVISION
        table.hooks = manifest.hooks.rawValue
        table.id = memory.text(manifest.id)
        table.version = memory.text(manifest.version)
        table.documentation = memory.text(manifest.documentation)
        table.priority = Int32(clamping: manifest.priority)
        (table.before, table.before_count) = memory.table(manifest.before.map(memory.text))
        (table.after, table.after_count) = memory.table(manifest.after.map(memory.text))
        (table.events, table.event_count) = memory.table(manifest.events.map(memory.text))
        (table.settings, table.setting_count) = memory.table(settings.map { $0.row(in: memory) })
        (table.attributes, table.attribute_count) = memory.table(manifest.attributes.map { $0.row(in: memory) })
        (table.commands, table.command_count) = memory.table(
            manifest.commands.map {
                plug_command_v1(
                    name: memory.text($0.name), arguments: memory.text($0.arguments),
                    documentation: memory.text($0.documentation),
                    flags: $0.isQuiet ? PLUG_COMMAND_QUIET : 0)
            })
        (table.provides, table.provide_count) = memory.table(manifest.provides.map(memory.text))
        (table.needs, table.need_count) = memory.table(manifest.needs.map(memory.text))
        raw = memory.copy(table)
        id = manifest.id
        self.memory = memory
        self.maker = maker
    }
}

/// Memory blocks that are released together.
package final class DescriptorMemory {
    private var blocks: [UnsafeMutableRawPointer] = []

    package init() {}

    deinit { for block in blocks { block.deallocate() } }

    package func text(_ string: String) -> plug_text {
        let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: max(string.utf8.count, 1), alignment: 1)
        if let block = memory.baseAddress { blocks.append(block) }
        memory.copyBytes(from: string.utf8)
        return plug_text(UnsafeRawBufferPointer(rebasing: memory[..<string.utf8.count]))
    }

    /// Copies the elements, which are C structs, into an array.
    func table<Element: BitwiseCopyable>(_ elements: [Element]) -> (UnsafePointer<Element>?, UInt64) {
        guard !elements.isEmpty else { return (nil, 0) }
        let memory = UnsafeMutablePointer<Element>.allocate(capacity: elements.count)
        memory.initialize(from: elements, count: elements.count)
        blocks.append(UnsafeMutableRawPointer(memory))
        return (UnsafePointer(memory), UInt64(elements.count))
    }

    func copy<Element: BitwiseCopyable>(_ element: Element) -> UnsafePointer<Element> {
        let memory = UnsafeMutablePointer<Element>.allocate(capacity: 1)
        memory.initialize(to: element)
        blocks.append(UnsafeMutableRawPointer(memory))
        return UnsafePointer(memory)
    }
}
