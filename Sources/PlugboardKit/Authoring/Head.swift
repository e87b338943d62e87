import CPlugboard

/// The head of a request or a response as a hook sees it: read and edited in place.
///
/// Valid until the hook returns. An edit that the kernel refuses, such as a URL that is not valid or a value with a
/// line break, is a fault of the plugin when the hook returns, with a sentence that says what and where; in `onClose`
/// and `onEvent` it is logged. For values that come from outside, use the functions that throw.
public struct Head: ~Copyable {
    let raw: OpaquePointer
    let host: UnsafePointer<plug_host_v1>
    /// Where to note the first edit that is refused; nil for a head that no hook edits.
    var refusal: UnsafeMutablePointer<String?>?

    /// The method of a request.
    public var method: Method {
        get {
            let name = host.pointee.method(raw)
            // The most frequent method, without a copy of the name.
            return name.isEqual("GET") ? .get : Method(name.string)
        }
        nonmutating set { noting { () throws(PlugboardError) in try setMethod(newValue) } }
    }

    /// The URL of a request, as the caller wrote it or a plugin set it.
    public var url: String {
        get { host.pointee.url(raw).string }
        nonmutating set { noting { () throws(PlugboardError) in try setURL(newValue) } }
    }

    /// Calls `body` with the bytes of the request's URL, without making a `String`; with none for a response. The
    /// pointer is valid until `body` returns, and does not show edits that `body` makes.
    public func withURL<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        body(host.pointee.url(raw).buffer)
    }

    /// Whether the URL is this one, byte for byte. Takes less time than a copy.
    public func hasURL(_ url: String) -> Bool { host.pointee.url(raw).isEqual(url) }

    /// The status of a response; 0 for a request.
    public var status: Int {
        get { Int(host.pointee.status(raw)) }
        nonmutating set { noting { () throws(PlugboardError) in try setStatus(newValue) } }
    }

    /// The first field of this name. Setting replaces all fields of this name; nil removes them.
    public subscript(name: FieldName) -> String? {
        get { withText(name.text) { host.pointee.field(raw, $0).optionalString } }
        nonmutating set {
            noting { () throws(PlugboardError) in
                if let newValue { try setField(name, newValue) } else { try removeField(name) }
            }
        }
    }

    /// Whether there is a field of this name.
    public func contains(_ name: FieldName) -> Bool {
        withText(name.text) { host.pointee.field(raw, $0).bytes != nil }
    }

    /// Calls `body` with the bytes of the first field of this name, in place; nil if there is none.
    public func withValue<Result>(_ name: FieldName, _ body: (UnsafeRawBufferPointer?) -> Result) -> Result {
        withText(name.text) { name in
            let value = host.pointee.field(raw, name)
            return body(value.bytes == nil ? nil : value.buffer)
        }
    }

    /// Adds a field; other fields of the same name stay.
    public func append(_ name: FieldName, _ value: String) {
        noting { () throws(PlugboardError) in try addField(name, value) }
    }

    /// Replaces all fields of this name by one with these bytes, which need not be UTF-8.
    public func set(_ name: FieldName, _ value: [UInt8]) {
        value.withUnsafeBytes { set(name, $0) }
    }

    /// Replaces them by one with bytes in place, which are copied.
    public func set(_ name: FieldName, _ value: UnsafeRawBufferPointer) {
        noting { () throws(PlugboardError) in try check(withText(name.text) { setField($0, value) }, name) }
    }

    /// Marks the fields of this name that the head has now as secret: they are never printed, and are dropped when a
    /// resend goes to another origin.
    public func markSecret(_ name: FieldName) {
        noting { () throws(PlugboardError) in
            try check(withText(name.text) { host.pointee.mark_secret(raw, $0) }, name)
        }
    }

    /// A copy of all fields, in order.
    public var fields: Fields {
        var copy = Fields()
        readFields { copy.append($0) }
        return copy
    }

    /// Whether the fields are these, byte for byte and in this order, and the same ones are secret. Takes less time
    /// than a copy.
    public func hasFields(_ fields: Fields) -> Bool {
        var (index, isEqual) = (0, true)
        readFields { views in
            isEqual = isEqual && fields.count - index >= views.count && fields.areEqual(from: index, to: views)
            index += views.count
        }
        return isEqual && index == fields.count
    }

    /// Calls `take` with all fields in their order, once for most heads.
    private func readFields(_ take: (Slice<UnsafeMutableBufferPointer<plug_head_field_v1>>) -> Void) {
        // Most heads have fewer fields, and need one call. A larger allocation (over 1 KiB) would not be on the stack.
        withUnsafeTemporaryAllocation(of: plug_head_field_v1.self, capacity: 24) { views in
            var (first, count) = (0, views.count)
            while count == views.count {
                let known = host.pointee.read_fields(raw, UInt64(first), views.baseAddress, UInt64(views.count))
                count = min(Int(clamping: known), views.count)
                if count > 0 { take(views[..<count]) }
                first += count
            }
        }
    }
}

extension Fields {
    /// Appends copies of fields that the kernel has shown.
    fileprivate mutating func append(_ views: Slice<UnsafeMutableBufferPointer<plug_head_field_v1>>) {
        append(views.count, bytes: views.reduce(0) { $0 + $1.byteCount }) { index in
            let view = views[views.startIndex + index]
            return (view.name.buffer, view.value.buffer, view.flags & PLUG_FLAG_SECRET != 0)
        }
    }

    /// Whether the fields from an index on, of which there are enough, are those that the kernel has shown.
    fileprivate func areEqual(
        from first: Int, to views: Slice<UnsafeMutableBufferPointer<plug_head_field_v1>>
    ) -> Bool {
        for (offset, view) in views.enumerated() {
            let isSecret = view.flags & PLUG_FLAG_SECRET != 0
            if !isField(at: first + offset, view.name.buffer, view.value.buffer, isSecret: isSecret) { return false }
        }
        return true
    }
}

extension plug_head_field_v1 {
    fileprivate var byteCount: Int { Int(clamping: name.count) + Int(clamping: value.count) }
}
