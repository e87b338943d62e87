import CPlugboard

/// An event as a plugin gets it. It can only be read, and is valid until `onEvent` returns.
///
/// A program gets the same event as an `ObservedEvent` of PlugboardCore, which it can keep; `id`, `is`,
/// `event["name"]`, `integer`, `duration`, `progress` and `head` are the same there.
///
/// The kernel's events have plain names (`headReceived`); plugins publish theirs under their own id (`cache.hit`).
public struct Event: ~Copyable {
    let raw: OpaquePointer
    let host: UnsafePointer<plug_host_v1>
    let refusal: UnsafeMutablePointer<String?>
    // Asked for once, because a plugin that gets several events compares it with several.
    @usableFromInline let name: plug_text

    init(_ raw: OpaquePointer, host: UnsafePointer<plug_host_v1>, refusal: UnsafeMutablePointer<String?>) {
        (self.raw, self.host, self.refusal) = (raw, host, refusal)
        name = host.pointee.event_id(raw)
    }

    /// The event's name.
    public var id: String { name.string }

    /// Whether this is the event with that id; cheaper than comparing strings.
    // Inlined, because each event of a plugin is compared with several ids, whose lengths are then constants.
    @inlinable
    @inline(__always)
    public func `is`(_ id: StaticString) -> Bool {
        guard name.count == UInt64(id.utf8CodeUnitCount), let bytes = name.bytes else { return false }
        for index in 0..<id.utf8CodeUnitCount where bytes[index] != CChar(bitPattern: id.utf8Start[index]) {
            return false
        }
        return true
    }

    /// The detail with this name as text; a number is written in decimal digits. Nil if there is no such detail.
    public subscript(name: String) -> String? {
        withText(name) { host.pointee.event_text(raw, $0).optionalString }
    }

    /// The detail with this name as a number. Nil if there is no such detail, or if it is not a number.
    public func integer(_ name: String) -> Int? {
        var value: Int64 = 0
        return withText(name) { host.pointee.event_integer(raw, $0, &value) } == PLUG_OK ? Int(value) : nil
    }

    /// All details in their order; numbers are written in decimal digits.
    public var details: [(name: String, value: String)] {
        var details: [(name: String, value: String)] = []
        var detail = plug_field()
        while host.pointee.event_detail_at(raw, UInt64(details.count), &detail) == PLUG_OK {
            details.append((detail.name.string, detail.value.string))
        }
        return details
    }

    /// The duration of that name, such as `after` of `resendScheduled`, or nil if there is none.
    public func duration(_ name: String) -> Duration? { integer(name).map { .nanoseconds(Int64($0)) } }

    /// The bytes of both bodies, if this is the kernel's event `progress`.
    public var progress: TransferProgress? { self.is("progress") ? TransferProgress { integer($0) } : nil }

    /// The head that the event is about (`interim`, `headReceived`). It cannot be edited.
    public var head: Head? {
        guard let head = host.pointee.event_head(raw) else { return nil }
        return Head(raw: head, host: host, refusal: refusal)
    }
}
