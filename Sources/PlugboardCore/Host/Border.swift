import CPlugboard
import PlugboardBorder
import PlugboardSystem

// Conversions between the pointers of C and the objects that they stand for. Free functions, because C function
// pointers capture nothing.

/// An object that C sees as an opaque pointer, which holds no reference.
protocol OpaqueNode: AnyObject {}

extension OpaqueNode {
    /// Valid as long as the object.
    var pointer: OpaquePointer { OpaquePointer(Unmanaged.passUnretained(self).toOpaque()) }

    /// The object of a pointer; nil for NULL.
    @inline(__always)
    static func from(_ pointer: OpaquePointer?) -> Self? {
        pointer.map { Unmanaged<Self>.fromOpaque(UnsafeRawPointer($0)).takeUnretainedValue() }
    }

    /// Calls a function with the object of a pointer, without reference counting, because the kernel keeps the object
    /// during the plugin's call; nil for NULL. For what plugins call often.
    @inline(__always)
    static func with<Result>(_ pointer: OpaquePointer?, _ use: (Self) -> Result?) -> Result? {
        guard let pointer else { return nil }
        return Unmanaged<Self>.fromOpaque(UnsafeRawPointer(pointer))._withUnsafeGuaranteedRef(use)
    }
}

/// Writes a value where the plugin wants it; `PLUG_NOT_FOUND` without one.
func give<Value>(_ value: Value?, to place: UnsafeMutablePointer<Value>?) -> plug_result {
    guard let value else { return PLUG_NOT_FOUND }
    place?.pointee = value
    return PLUG_OK
}

/// The exchange, if the plugin calls the host within a steering hook; else nil.
func steering(_ pointer: OpaquePointer?) -> ExchangeCore? {
    guard let exchange = ExchangeCore.from(pointer), exchange.frame.isSteering else { return nil }
    return exchange
}

/// Takes over the reference that a `plug_body *` stands for: `.some(nil)` for NULL, and nil for a body that the plugin
/// has handed in before.
func takeNode(_ pointer: OpaquePointer?) -> BodyNode?? {
    guard let pointer else { return .some(nil) }
    guard borrowNode(pointer).leavePlugin() else { return nil }
    return Unmanaged<BodyNode>.fromOpaque(UnsafeRawPointer(pointer)).takeRetainedValue()
}

/// Hands a reference out as a `plug_body *`; the plugin releases it.
func giveNode(_ node: BodyNode) -> OpaquePointer {
    node.enterPlugin()
    return OpaquePointer(Unmanaged.passRetained(node).toOpaque())
}

/// The body of a `plug_body *`, whose reference the plugin keeps.
func borrowNode(_ pointer: OpaquePointer) -> BodyNode {
    Unmanaged<BodyNode>.fromOpaque(UnsafeRawPointer(pointer)).takeUnretainedValue()
}

/// Takes over bytes of a plugin; bytes without a release function are copied. Nil for NULL with a count above 0.
func makeBytes(_ bytes: plug_bytes, of host: HostContext) -> Bytes? {
    guard bytes.bytes != nil || bytes.count == 0 else {
        if let release = bytes.release { host.call(.release) { release(bytes.context) } }
        return nil
    }
    let buffer = UnsafeRawBufferPointer(start: bytes.bytes, count: Int(clamping: bytes.count))
    guard let release = bytes.release else { return Bytes(copying: buffer) }
    let context = UInt(bitPattern: bytes.context)
    return Bytes(borrowing: buffer) { _ in
        host.call(.release) { release(UnsafeMutableRawPointer(bitPattern: context)) }
    }
}

/// `PLUG_STALE` if the pull was completed before, or its body was released.
func completePull(_ host: HostContext, _ pull: plug_pull, _ piece: Piece) -> plug_result {
    host.core?.home(of: pull).pulls.remove(pull)?.complete(piece) == true ? PLUG_OK : PLUG_STALE
}

/// The fields of a message, as a plugin hands them in; the error names the field that cannot be sent, without its
/// value.
func checkedFields(_ fields: UnsafePointer<plug_field>?, _ count: UInt64) throws(PlugboardError) -> Fields {
    guard fields != nil || count == 0 else {
        throw PlugboardError(.requestField, "\(count) fields are counted, and the pointer to them is NULL")
    }
    for field in UnsafeBufferPointer(start: fields, count: Int(clamping: count)) {
        if isSendable(field.name, field.value) { continue }
        guard areReadable(field) else {
            throw PlugboardError(.requestField, "a field has NULL for the bytes of its name or value")
        }
        let isNamed = field.name.count > 0 && field.name.buffer.allSatisfy(FieldName.isTokenByte)
        throw PlugboardError(
            .requestField,
            isNamed
                ? "the field \(field.name.string) has a line break or NUL in its value"
                : "a field has a name that is not a token (RFC 9110 §5.1)")
    }
    return makeFields(fields, count)
}

/// RFC 9110 §5.1, §5.5: the name is a token, the value holds no CR, LF or NUL.
func isSendable(_ name: plug_text, _ value: plug_text) -> Bool {
    guard name.count > 0, name.bytes != nil, name.buffer.allSatisfy(FieldName.isTokenByte), value.isReadable else {
        return false
    }
    return !value.buffer.hasLineBreakOrNUL
}

extension plug_text {
    /// False for NULL with a count above 0.
    var isReadable: Bool { bytes != nil || count == 0 }
}

private func areReadable(_ field: plug_field) -> Bool { field.name.isReadable && field.value.isReadable }

/// Whether an array, its names and its values can be read: none is NULL with a count above 0.
func areReadable(_ fields: UnsafePointer<plug_field>?, _ count: UInt64) -> Bool {
    guard let fields else { return count == 0 }
    return UnsafeBufferPointer(start: fields, count: Int(clamping: count)).allSatisfy { areReadable($0) }
}

/// Whether the name of an event or a counter, below the plugin's id, is a text that can be shown as it is: not empty,
/// UTF-8, and without control characters.
func isName(_ bytes: some Collection<UInt8>) -> Bool {
    guard !bytes.isEmpty else { return false }
    if bytes.allSatisfy({ (0x20..<0x7F).contains($0) }) { return true }
    return !bytes.contains { $0 < 0x20 || $0 == 0x7F } && String(validating: bytes, as: UTF8.self) != nil
}
