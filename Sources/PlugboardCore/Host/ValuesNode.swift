import CPlugboard
import PlugboardBorder
import PlugboardJSON
import Synchronization

/// What C sees as a plugin's settings, while it is created, and as the arguments of a command, while it runs. Each text
/// is made once. [any]
final class ValuesNode: OpaqueNode, Sendable {
    /// A setting or an argument.
    ///
    /// Sendable because its texts never change, and live as long as the node.
    struct Value: @unchecked Sendable {
        let text: plug_text
        /// Nil unless it is a number or a bool.
        private(set) var integer: Int64?
        /// None unless it is a list or a map.
        private var items: [plug_field] = []

        func item(_ index: UInt64) -> plug_field? { index < UInt64(items.count) ? items[Int(index)] : nil }
    }

    /// Sendable because it is used under the lock.
    private struct State: @unchecked Sendable {
        /// Nil before the first is asked for.
        var values: [String: Value]?
        let scratch = Scratch()
    }

    private let state = Mutex(State())
    private let make: @Sendable (Scratch) -> [String: Value]

    /// The settings of a table, with its defaults.
    init(_ settings: [String: String], of table: [OptionDefinition]) {
        make = { scratch in
            Dictionary(
                table.map { ($0.name, Value(settings[$0.name] ?? $0.fallback, of: $0.kind, scratch)) },
                uniquingKeysWith: { first, _ in first })
        }
    }

    /// The arguments of a command, as a JSON object.
    init(arguments json: String) {
        make = { scratch in
            let members = (try? JSONParser.parse(json))?.objectValue ?? JSONObject()
            return Dictionary(members.map { ($0.key, Value($0.value, scratch)) }, uniquingKeysWith: { $1 })
        }
    }

    subscript(name: plug_text) -> Value? {
        state.withLock { state in
            if state.values == nil { state.values = make(state.scratch) }
            return state.values?[name.string]
        }
    }
}

extension ValuesNode.Value {
    fileprivate init(_ setting: String, of kind: OptionKind?, _ scratch: Scratch) {
        text = scratch.text(setting)
        switch kind {
        case .bool: integer = Bool.optionForm.read(setting).map { $0 ? 1 : 0 }
        case .integer: integer = Int64(setting)
        case .duration: integer = DurationText(setting)?.duration.nanoseconds
        case .size: integer = ByteCount(setting).map { Int64($0.bytes) }
        case .list:
            let list = [String].optionForm.read(setting) ?? []
            items = list.map { plug_field(name: plug_text(), value: scratch.text($0)) }
        case .map:
            let map = ([String: String].optionForm.read(setting) ?? [:]).sorted { $0.key < $1.key }
            items = map.map { plug_field(name: scratch.text($0.key), value: scratch.text($0.value)) }
        case .text, nil: break
        }
    }

    fileprivate init(_ argument: JSONValue, _ scratch: Scratch) {
        func text(_ value: JSONValue) -> plug_text { scratch.text(value.stringValue ?? "\(value)") }
        self.text = text(argument)
        switch argument {
        case .bool(let bool): integer = bool ? 1 : 0
        case .number(let number): integer = Int64(number.text)
        case .array(let list): items = list.map { plug_field(name: plug_text(), value: text($0)) }
        case .object(let map): items = map.map { plug_field(name: scratch.text($0.key), value: text($0.value)) }
        case .string, .null: break
        }
    }
}
