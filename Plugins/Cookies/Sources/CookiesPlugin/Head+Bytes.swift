import PlugboardKit

extension Head {
    /// Sets a field to bytes as they are.
    func set(_ name: FieldName, _ value: [UInt8]) { self[name] = Fields.text(value) }
}
