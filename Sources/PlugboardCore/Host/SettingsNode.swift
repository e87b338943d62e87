import CPlugboard
import PlugboardBorder

/// What C sees as a plugin's settings, while it is created.
final class SettingsNode {
    private let values: [String: String]
    private let table: [String: OptionDefinition]
    private let scratch = Scratch()

    init(_ values: [String: String], _ table: [OptionDefinition]) {
        self.values = values
        self.table = Dictionary(table.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    }

    var pointer: OpaquePointer { OpaquePointer(Unmanaged.passUnretained(self).toOpaque()) }

    static func from(_ pointer: OpaquePointer) -> SettingsNode {
        Unmanaged<SettingsNode>.fromOpaque(UnsafeRawPointer(pointer)).takeUnretainedValue()
    }

    func text(_ name: String) -> plug_text? {
        table[name].map { scratch.text(values[name] ?? $0.fallback) }
    }

    func integer(_ name: String) -> Int64? {
        guard let option = table[name] else { return nil }
        let text = values[name] ?? option.fallback
        switch option.kind {
        case .bool: return Bool.optionForm.read(text).map { $0 ? 1 : 0 }
        case .integer: return Int64(text)
        case .duration: return DurationText(text)?.duration.nanoseconds
        case .size: return ByteCount(text).map { Int64($0.bytes) }
        case .text, .list, .map, nil: return nil
        }
    }

    func item(_ name: String, _ index: UInt64) -> plug_field? {
        guard let option = table[name] else { return nil }
        let text = values[name] ?? option.fallback
        switch option.kind {
        case .list:
            let items = [String].optionForm.read(text) ?? []
            guard index < UInt64(items.count) else { return nil }
            return plug_field(name: plug_text(), value: scratch.text(items[Int(index)]))
        case .map:
            let items = ([String: String].optionForm.read(text) ?? [:]).sorted { $0.key < $1.key }
            guard index < UInt64(items.count) else { return nil }
            return plug_field(name: scratch.text(items[Int(index)].key), value: scratch.text(items[Int(index)].value))
        default: return nil
        }
    }
}
